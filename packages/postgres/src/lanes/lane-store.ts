// The database's side of every lane.
import type { Clock, LaneStore } from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type pg from 'pg';
import { beat, fallAsleep, takeOver } from './hold-lane.ts';
import { loadFlight } from './load-flight.ts';
import { loadQueue, peekQueue } from './load-queue.ts';
import { recordMined } from './record-mined.ts';
import { recordUnsent } from './record-unsent.ts';
import { markBroadcast, storeBatch } from './store-batch.ts';

export type LaneStoreOptions = {
  readonly clock: Clock;
  /** What a network's own coin is worth; undefined when nobody said. */
  readonly gasCoinRate: (network: string) => Rate | undefined;
};

export function createLaneStore(pool: pg.Pool, { clock, gasCoinRate }: LaneStoreOptions): LaneStore {
  return {
    takeOver: (lane) => takeOver(pool, lane, clock.nowMs()),
    beat: (held) => beat(pool, held, clock.nowMs()),
    loadFlight: (lane) => loadFlight(pool, lane),
    peekQueue: (lane, share, limit) => peekQueue(pool, lane, share, limit),
    loadQueue: (lane, share, limit) => loadQueue(pool, lane, share, limit),
    storeBatch: (held, batch) => storeBatch(pool, held, batch, clock.nowMs()),
    markBroadcast: (held, batchIds) => markBroadcast(pool, held, batchIds, clock.nowMs()),
    recordMined: (held, batch, mined) =>
      recordMined(pool, held, batch, mined, { nowMs: clock.nowMs(), gasCoin: gasCoinRate(held.network) }),
    recordUnsent: (held, unsent) => recordUnsent(pool, held, unsent, clock.nowMs()),
    fallAsleep: (held) => fallAsleep(pool, held),
  };
}
