// A process that runs its share of the seeds, one after the other.
import type { RunOptions } from './run-result.ts';
import { runSeed } from './run-seed.ts';

export type WorkerOrder = { readonly seeds: readonly number[]; readonly options: RunOptions };

process.once('message', ({ seeds, options }: WorkerOrder) => void work(seeds, options));

async function work(seeds: readonly number[], options: RunOptions): Promise<void> {
  for (const seed of seeds) {
    const result = await runSeed(seed, options);
    // Only a run that broke a promise is looked at line by line.
    process.send?.(result.violations.length > 0 ? result : { ...result, history: [] });
  }
  process.disconnect();
}
