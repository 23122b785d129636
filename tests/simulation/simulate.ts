// Many seeds, one after the other, in one process.
import type { Progress } from '../progress.ts';
import { type RunOptions, type RunResult, runSeed } from './run-seed.ts';

type Tally = {
  readonly seeds: number;
  readonly steps: number;
  readonly payments: number;
  readonly deliveries: number;
  readonly faults: number;
  readonly violations: number;
};

export type Simulated = {
  readonly tally: Tally;
  /** Runs that broke a promise, by the length of what they tell. */
  readonly broken: readonly RunResult[];
};

export async function simulate(
  seeds: readonly number[],
  progress: Progress,
  options: RunOptions = {},
  onRun: (result: RunResult) => void = () => {},
): Promise<Simulated> {
  const broken: RunResult[] = [];
  const tally = { seeds: 0, steps: 0, payments: 0, deliveries: 0, faults: 0, violations: 0 };
  for (const seed of seeds) {
    const result = await runSeed(seed, options);
    onRun(result);
    tally.seeds += 1;
    tally.steps += result.steps;
    tally.payments += result.payments;
    tally.deliveries += result.deliveries;
    tally.faults += result.faults;
    tally.violations += result.violations.length;
    if (result.violations.length > 0) broken.push(result);
    progress.show(tally.seeds, `seed ${seed}, ${tally.faults} faults, ${tally.violations} violations`);
  }
  return { tally, broken: broken.toSorted((one, other) => one.history.length - other.history.length) };
}
