// A thread that runs its share of the seeds, one after the other.
import { parentPort, workerData } from 'node:worker_threads';
import { type RunOptions, runSeed } from './run-seed.ts';

export type WorkerOrder = { readonly seeds: readonly number[]; readonly options: RunOptions };

const { seeds, options } = workerData as WorkerOrder;
for (const seed of seeds) {
  const result = await runSeed(seed, options);
  // Only a run that broke a promise is looked at line by line.
  parentPort?.postMessage(result.violations.length > 0 ? result : { ...result, history: [] });
}
