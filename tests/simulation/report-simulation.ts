// npm run chaos -- simulate [--seeds N] [--from N] [--seed N] [--bug NAME]
import { createProgress } from '../progress.ts';
import type { RunOptions } from './run-result.ts';
import { runSeed } from './run-seed.ts';
import { shrink } from './shrink.ts';
import { simulateOnAllCores } from './simulate.ts';
import { isBugName } from './world/bugs.ts';

export type SimulationOrder = {
  /** One run, told whole. */
  readonly seed?: number | undefined;
  readonly seeds: number;
  readonly from: number;
  readonly bug?: string | undefined;
};

/** Answers the exit code; the last line is one JSON object. */
export async function reportSimulation({ seed, seeds, from, bug }: SimulationOrder): Promise<number> {
  const wanted = seed === undefined ? Array.from({ length: seeds }, (_, index) => from + index) : [seed];
  const options: RunOptions = isBugName(bug) ? { bug } : {};
  if (seed !== undefined) for (const line of (await runSeed(seed, options)).history) console.log(line);
  const progress = createProgress(wanted.length);
  const { tally, broken } = await simulateOnAllCores(wanted, progress, options);
  progress.end();
  const [shortest] = broken;
  if (seed === undefined && shortest !== undefined) {
    const { result, payments, without } = await shrink(shortest, options);
    console.log(`seed ${result.seed}, ${payments} of its payments, without ${without.join(', ') || 'nothing'}:`);
    for (const line of result.history) console.log(line);
    console.log(`broken: seeds ${broken.map((run) => run.seed).join(' ')}`);
    console.log(`whole: npm run chaos -- simulate --seed ${result.seed}`);
  }
  console.log(JSON.stringify(tally));
  return tally.violations === 0 ? 0 : 1;
}
