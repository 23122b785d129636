// Many seeds: one after the other in this process, or shared out among processes.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Progress } from '../progress.ts';
import type { RunOptions, RunResult } from './run-result.ts';
import { runSeed } from './run-seed.ts';
import type { WorkerOrder } from './simulation-worker.ts';

const WORKER = fileURLToPath(new URL('./simulation-worker.ts', import.meta.url));

type Tally = {
  readonly seeds: number;
  readonly steps: number;
  readonly payments: number;
  readonly deliveries: number;
  readonly refunds: number;
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
  const workers = Math.min(availableParallelism(), seeds.length);
  const shares = Array.from({ length: workers }, (_, worker) => seeds.filter((_, place) => place % workers === worker));
  await Promise.all(
    shares.map(
      (share) =>
        new Promise<void>((resolve, reject) => {
          const child = fork(WORKER, { serialization: 'advanced' });
          child.on('message', (result) => counted.add(result as RunResult));
          child.on('error', reject);
          child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
          child.send({ seeds: share, options } satisfies WorkerOrder);
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
  const tally = { seeds: 0, steps: 0, payments: 0, deliveries: 0, refunds: 0, faults: 0, violations: 0 };
  return {
    add: (result) => {
      tally.seeds += 1;
      tally.steps += result.steps;
      tally.payments += result.payments;
      tally.deliveries += result.deliveries;
      tally.refunds += result.refunds;
      tally.faults += result.faults;
      tally.violations += result.violations.length;
      if (result.violations.length > 0) broken.push(result);
      progress.show(tally.seeds, `seed ${result.seed}, ${tally.faults} faults, ${tally.violations} violations`);
    },
    end: () => ({ tally, broken: broken.toSorted((one, other) => one.history.length - other.history.length) }),
  };
}
