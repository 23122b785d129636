import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../quantile.ts';
import { type BenchWorld, nowMs, type Spent } from './bench-world.ts';

export type Waits = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  readonly lost: number;
  readonly duplicates: number;
};

/** When each event was due or committed, by the sender's clock. */
export type Committed = ReadonlyMap<string, number>;

/** Waits until `count` requests arrived since the last reading, or says false when patience is over. */
export async function waitForArrivals(world: BenchWorld, count: number, patienceMs: number): Promise<boolean> {
  for (const endMs = nowMs() + patienceMs; nowMs() < endMs; await sleep(20)) {
    if ((await world.arrivalCount()) >= count) return true;
  }
  return false;
}

/** From that time to arrival. An event that arrived twice counts by its first arrival. */
export function measureWaits(
  committed: Committed,
  arrivals: readonly (readonly [string, number])[],
  sinceMs: number,
  atLeastMs: number,
): Waits {
  const mine = arrivals.filter(([id]) => committed.has(id));
  const first = new Map(mine.toReversed());
  const lastMs = mine.reduce((latest, [, atMs]) => Math.max(latest, atMs), sinceMs);
  const waits = [...first].map(([id, atMs]) => Math.max(0, atMs - (committed.get(id) ?? 0)));
  return {
    perSecond: Math.round(first.size / (Math.max(atLeastMs, lastMs - sinceMs) / 1_000)),
    p50Ms: Math.round(quantile(waits, 0.5)),
    p99Ms: Math.round(quantile(waits, 0.99)),
    longestMs: Math.round(quantile(waits, 1)),
    lost: committed.size - first.size,
    duplicates: mine.length - first.size,
  };
}

const rounded = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits;

/** What one of `count` deliveries cost between two readings. */
export function perDelivery(before: Spent, after: Spent, count: number): Spent {
  return {
    webhooksMs: rounded((after.webhooksMs - before.webhooksMs) / count, 3),
    postgresMs: rounded((after.postgresMs - before.postgresMs) / count, 3),
    walBytes: rounded((after.walBytes - before.walBytes) / count, 0),
  };
}
