// Many seeds: one after the other in this thread, or shared out among threads.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Progress } from '../progress.ts';
import { type RunOptions, type RunResult, runSeed } from './run-seed.ts';
import type { WorkerOrder } from './simulation-worker.ts';

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
  const counted = createCount(progress);
  for (const seed of seeds) {
    const result = await runSeed(seed, options);
    onRun(result);
    counted.add(result);
  }
  return counted.end();
}

/** The same on all cores; the order in which seeds end is no seed's matter. */
export async function simulateOnAllCores(
  seeds: readonly number[],
  progress: Progress,
  options: RunOptions = {},
): Promise<Simulated> {
  const counted = createCount(progress);
  const threads = Math.min(availableParallelism(), seeds.length);
  const shares = Array.from({ length: threads }, (_, thread) => seeds.filter((_, place) => place % threads === thread));
  await Promise.all(
    shares.map(
      (share) =>
        new Promise<void>((resolve, reject) => {
          const workerData: WorkerOrder = { seeds: share, options };
          const worker = new Worker(new URL('./simulation-worker.ts', import.meta.url), { workerData });
          worker.on('message', counted.add);
          worker.on('error', reject);
          worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a thread ended with ${code}`))));
        }),
    ),
  );
  return counted.end();
}

function createCount(progress: Progress): {
  readonly add: (result: RunResult) => void;
  readonly end: () => Simulated;
} {
  const broken: RunResult[] = [];
  const tally = { seeds: 0, steps: 0, payments: 0, deliveries: 0, faults: 0, violations: 0 };
  return {
    add: (result) => {
      tally.seeds += 1;
      tally.steps += result.steps;
      tally.payments += result.payments;
      tally.deliveries += result.deliveries;
      tally.faults += result.faults;
      tally.violations += result.violations.length;
      if (result.violations.length > 0) broken.push(result);
      progress.show(tally.seeds, `seed ${result.seed}, ${tally.faults} faults, ${tally.violations} violations`);
    },
    end: () => ({ tally, broken: broken.toSorted((one, other) => one.history.length - other.history.length) }),
  };
}
