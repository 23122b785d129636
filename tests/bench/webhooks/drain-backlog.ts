import { setTimeout as sleep } from 'node:timers/promises';
import { createProgress } from '../../progress.ts';
import { measureWaits, perDelivery, type Waits, waitForArrivals } from './arrivals.ts';
import { type BenchWorld, nowMs, type Spent } from './bench-world.ts';

const PATIENCE_MS = 300_000;
const PER_COMMIT = 10_000;
const FRESH_PER_SECOND = 40;
const FRESH_TICK_MS = 250;

/** Deliveries a second from the moment that `count` of them are due until the last one arrived, and what each cost. */
export async function drainBacklog(
  world: BenchWorld,
  to: readonly string[],
  count: number,
): Promise<{ readonly perSecond: number; readonly spent: Spent }> {
  await world.arrivals();
  await putOff(world, to, count);
  await world.merchants.makeDue();
  const before = await world.spent();
  const startMs = nowMs();
  await waitForArrivals(world, count, PATIENCE_MS);
  const perSecond = count / ((nowMs() - startMs) / 1_000);
  return { perSecond, spent: perDelivery(before, await world.spent(), count) };
}

export type Flood = { readonly perSecond: number; readonly lost: number; readonly fresh: Waits };

/** `count` fall due at once; meanwhile others get fresh events, whose waits tell whether they starve. */
export async function flood(
  world: BenchWorld,
  count: number,
  flooded: readonly string[],
  others: readonly string[],
): Promise<Flood> {
  await world.arrivals();
  await putOff(world, flooded, count);
  const progress = createProgress(count, process.stderr);
  const committed = new Map<string, number>();
  await world.merchants.makeDue();
  const startMs = nowMs();
  let next = 0;
  let arrived = 0;
  for (const endMs = startMs + PATIENCE_MS; arrived < count + committed.size && nowMs() < endMs; ) {
    // Fresh ones end with the flood, so that all of them ran beside it.
    if (arrived < count) {
      const fresh = Array.from(
        { length: (FRESH_PER_SECOND * FRESH_TICK_MS) / 1_000 },
        () => others[next++ % others.length] ?? '',
      );
      const ids = await world.merchants.emit(fresh);
      const atMs = nowMs();
      for (const id of ids) committed.set(id, atMs);
    }
    await sleep(FRESH_TICK_MS);
    arrived = await world.arrivalCount();
    progress.show(Math.min(arrived, count), 'all due at once');
  }
  const tookMs = nowMs() - startMs;
  progress.end();
  const arrivals = await world.arrivals();
  const distinct = new Set(arrivals.map(([id]) => id));
  return {
    perSecond: count / (tookMs / 1_000),
    lost: count + committed.size - distinct.size,
    fresh: measureWaits(committed, arrivals, startMs, tookMs),
  };
}

/** Written beforehand and due later, so that writing them is no part of the measurement. */
async function putOff(world: BenchWorld, to: readonly string[], count: number): Promise<void> {
  for (let written = 0; written < count; written += PER_COMMIT) {
    const endpoints = Array.from(
      { length: Math.min(PER_COMMIT, count - written) },
      (_, index) => to[(written + index) % to.length] ?? '',
    );
    await world.merchants.emit(endpoints, 'later');
  }
}
