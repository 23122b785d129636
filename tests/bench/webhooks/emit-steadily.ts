import { setTimeout as sleep } from 'node:timers/promises';
import { createProgress } from '../../progress.ts';
import { measureWaits, type Waits, waitForArrivals } from './arrivals.ts';
import { type BenchWorld, nowMs } from './bench-world.ts';

const TICK_MS = 50;
const PATIENCE_MS = 60_000;

type Pace = {
  readonly label: string;
  readonly perSecond: number;
  readonly forMs: number;
  /** Who gets them in turn. */
  readonly to: readonly string[];
  /** Each gets two events a second beside, which nobody waits for. */
  readonly hung?: readonly string[];
};

/** Events at an even pace for a while; then waits until all that can arrive has arrived. */
export async function emitSteadily(world: BenchWorld, pace: Pace): Promise<Waits> {
  const { perSecond, forMs, to, hung = [] } = pace;
  await world.arrivals();
  const committed = new Map<string, number>();
  const progress = createProgress(forMs / 1_000, process.stderr);
  const startMs = nowMs();
  let next = 0;
  for (let tick = 0; nowMs() - startMs < forMs; tick += 1) {
    const count = Math.round((perSecond * TICK_MS) / 1_000);
    const healthy = Array.from({ length: count }, () => to[next++ % to.length] ?? '');
    const silent = hung.filter((_, index) => index % 10 === tick % 10);
    const ids = await world.merchants.emit([...healthy, ...silent]);
    const atMs = nowMs();
    for (const id of ids.slice(0, count)) committed.set(id, atMs);
    progress.show(Math.floor((atMs - startMs) / 1_000), pace.label);
    await sleep(Math.max(0, startMs + (tick + 1) * TICK_MS - nowMs()));
  }
  const emittedForMs = nowMs() - startMs;
  progress.end();
  await waitForArrivals(world, committed.size, PATIENCE_MS);
  return measureWaits(committed, await world.arrivals(), startMs, emittedForMs);
}
