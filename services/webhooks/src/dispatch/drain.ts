// Runs shards as one engine drain, with one key per shard.
import type { Clock, DeliveryStore, Mode, PeriodicJob } from '@svc-pay/core';
import type { Drain } from '@svc-pay/engine';
import type { Dispatcher } from './dispatcher.ts';

export type ShardSetup = {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly modes: readonly Mode[];
  readonly shards: number;
};

/** Separate drain per set of modes: processes for different modes do not share shards. */
function drainName(modes: readonly Mode[]): string {
  return modes.length === 1 ? `deliveries.${modes[0]}` : 'deliveries';
}

export function createDeliveryDrain({ store, clock, modes, shards }: ShardSetup, dispatcher: Dispatcher): Drain {
  const drain = drainName(modes);
  const shardAt = (key: string) => ({ drain, index: Number.parseInt(key, 10), count: shards });
  const exists = (key: string) => /^\d{1,2}$/.test(key) && Number.parseInt(key, 10) < shards;
  return {
    name: drain,
    fence: async (key) => (exists(key) ? store.takeOverShard(shardAt(key), clock.nowMs()) : '0'),
    step: async (key, epoch, attemptOver) =>
      exists(key) ? dispatcher.turn({ ...shardAt(key), epoch }, attemptOver) : 'idle',
  };
}

/** Longer than any shard pauses between heartbeats. */
const SILENT_MS = 5_000;

/**
 * Wakes shards that have due deliveries but no process working on them. New events are found this way, and also all
 * work left behind by a lost wake-up, a crash or an engine that lost its data. Reads only the database.
 */
export function wakeIdleShards(
  { store, clock, modes, shards }: ShardSetup,
  everyMs: number,
  wake: (drain: string, key: string) => Promise<void>,
): PeriodicJob {
  const drain = drainName(modes);
  return {
    name: `${drain}.lookout`,
    everyMs,
    run: async () => {
      const nowMs = clock.nowMs();
      const sleeping = await store.findSleepingShards({ drain, count: shards }, modes, nowMs, nowMs - SILENT_MS);
      for (const shard of sleeping) {
        await wake(drain, String(shard));
      }
    },
  };
}
