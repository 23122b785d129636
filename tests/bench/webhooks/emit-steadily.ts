import { setTimeout as sleep } from 'node:timers/promises';
import { createProgress } from '../../progress.ts';
import { measureWaits, perDelivery, type Waits, waitForArrivals } from './arrivals.ts';
import { type BenchWorld, nowMs, type Spent } from './bench-world.ts';

const TICK_MS = 20;
const PATIENCE_MS = 60_000;
/** Half a second. */
const TICKS_OF_HUNG = 25;

type Pace = {
  readonly label: string;
  readonly perSecond: number;
  readonly forMs: number;
  /** Who gets them in turn. */
  readonly to: readonly string[];
  /** Each gets two events a second beside, which nobody waits for. */
  readonly hung?: readonly string[];
};

/**
 * Events by a schedule that waits for nothing; then waits until all that can arrive has arrived. A wait begins when the event
 * was due to be emitted: what a slow database delays counts with its delay.
 */
export async function emitSteadily(world: BenchWorld, pace: Pace): Promise<Waits & { readonly spent: Spent }> {
  const { perSecond, forMs, to, hung = [] } = pace;
  await world.arrivals();
  const committed = new Map<string, number>();
  const progress = createProgress(forMs / 1_000, process.stderr);
  const before = await world.spent();
  const startMs = nowMs();
  let next = 0;
  for (let tick = 0; tick * TICK_MS < forMs; tick += 1) {
    const count = Math.round((perSecond * TICK_MS) / 1_000);
    const dueMs = startMs + tick * TICK_MS;
    await sleep(Math.max(0, dueMs - nowMs()));
    const healthy = Array.from({ length: count }, () => to[next++ % to.length] ?? '');
    const silent = hung.filter((_, index) => index % TICKS_OF_HUNG === tick % TICKS_OF_HUNG);
    const ids = await world.merchants.emit([...healthy, ...silent]);
    for (const id of ids.slice(0, count)) committed.set(id, dueMs);
    progress.show(Math.floor((dueMs - startMs) / 1_000), pace.label);
  }
  const emittedForMs = Math.max(forMs, nowMs() - startMs);
  progress.end();
  await waitForArrivals(world, committed.size, PATIENCE_MS);
  const spent = perDelivery(before, await world.spent(), committed.size);
  return { ...measureWaits(committed, await world.arrivals(), startMs, emittedForMs), spent };
}
