// The shards as the engine drives them: one drain, one key per shard.
import type { Clock, Mode } from '@svc-pay/core';
import type { Drain, Pulse } from '@svc-pay/engine';
import { findSleepingShards, takeOverShard } from '@svc-pay/postgres/deliveries';
import type pg from 'pg';
import type { Dispatcher } from './dispatcher.ts';

export type ShardSetup = {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly modes: readonly Mode[];
  readonly shards: number;
};

/** Processes for different modes do not share shards. */
function drainName(modes: readonly Mode[]): string {
  return modes.length === 1 ? `deliveries.${modes[0]}` : 'deliveries';
}

export function createDeliveryDrain({ pool, clock, modes, shards }: ShardSetup, dispatcher: Dispatcher): Drain {
  const drain = drainName(modes);
  const shardAt = (key: string) => ({ drain, index: Number.parseInt(key, 10), count: shards });
  const exists = (key: string) => /^\d{1,2}$/.test(key) && Number.parseInt(key, 10) < shards;
  return {
    name: drain,
    fence: async (key) => (exists(key) ? takeOverShard(pool, shardAt(key), clock.nowMs()) : '0'),
    step: async (key, epoch, attemptOver) =>
      exists(key) ? dispatcher.turn({ ...shardAt(key), epoch }, attemptOver) : 'idle',
  };
}

/** Longer than any shard is silent by itself. */
const SILENT_MS = 5_000;

/**
 * Wakes shards that have something due and nobody at it. This is how a new event is found, and also how everything is found
 * that a lost wake-up, a crash or an engine without its data left behind: from the database alone.
 */
export function createLookout(
  { pool, clock, modes, shards }: ShardSetup,
  everyMs: number,
  wake: (drain: string, key: string) => Promise<void>,
): Pulse {
  const drain = drainName(modes);
  return {
    name: `${drain}.lookout`,
    everyMs,
    beat: async () => {
      const nowMs = clock.nowMs();
      for (const shard of await findSleepingShards(pool, { drain, count: shards }, modes, nowMs, nowMs - SILENT_MS)) {
        await wake(drain, String(shard));
      }
    },
  };
}
