// The database's side of every lane.
import type { BatchToStore, Clock, Lane, LaneStore } from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type pg from 'pg';
import { deferItems } from './defer-items.ts';
import { createFlightMemory, type FlightMemory } from './flight-memory.ts';
import { beat, fallAsleep, takeOver } from './hold-lane.ts';
import { loadFlight } from './load-flight.ts';
import { loadQueue, peekQueue } from './load-queue.ts';
import { advanceNonce, noteObstacle, noteUnfit } from './note-lane.ts';
import { recordMined } from './record-mined.ts';
import { recordReplaced } from './record-replaced.ts';
import { recordUnsent } from './record-unsent.ts';
import { markBroadcast, storeBatches } from './store-batches.ts';
import { storeTransaction } from './store-transaction.ts';

export type LaneStoreOptions = {
  readonly clock: Clock;
  /** What a network's own coin is worth; undefined when nobody said. */
  readonly gasCoinRate: (network: string) => Rate | undefined;
};

export function createLaneStore(pool: pg.Pool, { clock, gasCoinRate }: LaneStoreOptions): LaneStore {
  const memory = createFlightMemory();
  return {
    takeOver: (lane) => takeOver(pool, lane, clock.nowMs()),
    beat: (held) => beat(pool, held, clock.nowMs()),
    loadFlight: (lane) => loadFlight(pool, lane, memory),
    peekQueue: (lane, share, limit) => peekQueue(pool, lane, share, limit, clock.nowMs()),
    loadQueue: (lane, share, limit) => loadQueue(pool, lane, share, limit, clock.nowMs()),
    storeBatches: async (held, batches) => {
      const nowMs = clock.nowMs();
      const stored = await storeBatches(pool, held, batches, nowMs);
      if (stored) keepStored(memory, held, batches, nowMs);
      return stored;
    },
    storeTransaction: (held, batchId, signed) => storeTransaction(pool, held, batchId, signed, clock.nowMs()),
    markBroadcast: (held, batchIds) => markBroadcast(pool, held, batchIds, clock.nowMs()),
    recordMined: (held, found) =>
      recordMined(pool, held, found, { nowMs: clock.nowMs(), gasCoin: gasCoinRate(held.network) }),
    recordUnsent: (held, unsent) => recordUnsent(pool, held, unsent, clock.nowMs()),
    recordReplaced: (held, batchId) => recordReplaced(pool, held, batchId, clock.nowMs()),
    defer: (held, items, untilMs) => deferItems(pool, held, items, untilMs),
    advanceNonce: (held, from, to) => advanceNonce(pool, held, from, to, clock.nowMs()),
    noteObstacle: (held, obstacle) => noteObstacle(pool, held, obstacle, clock.nowMs()),
    noteUnfit: (held, condition) => noteUnfit(pool, held, condition, clock.nowMs()),
    fallAsleep: (held) => fallAsleep(pool, held),
  };
}

function keepStored(memory: FlightMemory, lane: Lane, batches: readonly BatchToStore[], nowMs: number): void {
  for (const { id, signed, items } of batches) {
    memory.keep(lane, id, { transactions: [{ ...signed, signedAtMs: nowMs }], items });
  }
}
