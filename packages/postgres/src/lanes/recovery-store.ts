// The database's side of a lane that recovers: the same holding, nonces, bytes and batches as any lane's; what waits are
// recoveries instead of settlements.

import type { FoundBatch, LaneItem, UnsentItem } from '@svc-pay/core';
import { bookReturn, type HeldLane, isoTime, judgeItem, type LaneStore } from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { completePayments, failPayments } from './end-payments.ts';
import type { FlightMemory } from './flight-memory.ts';
import { beat, fallAsleep, requireHeld, takeOver, unlessTakenOver } from './hold-lane.ts';
import type { LaneStoreOptions } from './lane-store.ts';
import { loadFlight, loadRecoveryBatchItems } from './load-flight.ts';
import { advanceNonce, noteObstacle } from './note-lane.ts';
import { markMined, minedPart, type RecordOptions } from './record-mined.ts';
import { recordReplaced } from './record-replaced.ts';
import { loadRecoveryQueue, peekRecoveryQueue } from './recovery-queue.ts';
import { markBroadcast, storeBatches } from './store-batches.ts';
import { storeTransaction } from './store-transaction.ts';
import { writeEnds, writeEntries } from './write-ends.ts';

/** They are few; each look reads all of them. */
const NO_MEMORY: FlightMemory = { keep: () => {}, recall: () => undefined, keepOnly: () => {} };

export function createRecoveryStore(pool: pg.Pool, { clock, gasCoinRate }: LaneStoreOptions): LaneStore {
  return {
    takeOver: (lane) => takeOver(pool, lane, clock.nowMs()),
    beat: (held) => beat(pool, held, clock.nowMs()),
    loadFlight: (lane) => loadFlight(pool, lane, NO_MEMORY, loadRecoveryBatchItems),
    peekQueue: (lane, share, limit) => peekRecoveryQueue(pool, lane, share, limit),
    loadQueue: (lane, share, limit) => loadRecoveryQueue(pool, lane, share, limit),
    storeBatches: (held, batches) => storeBatches(pool, held, batches, clock.nowMs(), 'recover'),
    storeTransaction: (held, batchId, signed) => storeTransaction(pool, held, batchId, signed, clock.nowMs()),
    markBroadcast: (held, batchIds) => markBroadcast(pool, held, batchIds, clock.nowMs()),
    recordReplaced: (held, batchId) => recordReplaced(pool, held, batchId, clock.nowMs()),
    // They are few, and a round tries the next when one is refused.
    defer: async () => {},
    advanceNonce: (held, from, to) => advanceNonce(pool, held, from, to, clock.nowMs()),
    noteObstacle: (held, obstacle) => noteObstacle(pool, held, obstacle, clock.nowMs()),
    // Whoever watches the relayers that settle does not watch this key; it tries again by itself.
    noteUnfit: async () => {},
    recordMined: (held, found) => {
      const options = { nowMs: clock.nowMs(), gasCoin: gasCoinRate(held.network) };
      return unlessTakenOver(pool, async (client) => {
        await requireHeld(client, held);
        for (const one of found) await record(client, held, one, options);
      });
    },
    recordUnsent: (held, unsent) =>
      unlessTakenOver(pool, (client) => recordRefused(client, held, unsent, clock.nowMs())),
    fallAsleep: (held) => fallAsleep(pool, held),
  };
}

async function record(
  client: pg.PoolClient,
  held: HeldLane,
  { batch, mined }: FoundBatch,
  { nowMs, gasCoin }: RecordOptions,
): Promise<void> {
  if ((await markMined(client, [mined], nowMs)).size === 0) return;
  const cause = { requestId: batch.id, nowMs };
  for (const [index, item] of batch.items.entries()) {
    const part = minedPart(mined, item.paymentId, index);
    if (part.outcome !== 'settled') await setStatus(client, item, 'mined', null, nowMs);
    else if (item.recovery?.deed === 'return') {
      const returned = { lane: held, item, mined: part, batch: mined, gasCostAtomic: mined.gasCostAtomic };
      await writeEntries(client, bookReturn(returned, cause));
      await setStatus(client, item, 'done', null, nowMs);
    } else {
      const parts = [{ item, mined: part }];
      await writeEnds(client, await completePayments(client, held, mined, parts, gasCoin, cause), 'held', nowMs);
      await setStatus(client, item, 'done', null, nowMs);
    }
  }
}

/**
 * The processor refuses for good. What can't complete its payment any more goes back to the payer; what can't go back
 * either waits for a person.
 */
async function recordRefused(
  client: pg.PoolClient,
  held: HeldLane,
  unsent: readonly UnsentItem[],
  nowMs: number,
): Promise<void> {
  await requireHeld(client, held);
  const cause = { requestId: newId('batch', nowMs), nowMs };
  for (const { item, outcome } of unsent) {
    const code = failureOf(outcome);
    if (item.recovery?.deed !== 'settle' || code === undefined) {
      await setStatus(client, item, 'blocked', outcome, nowMs);
      continue;
    }
    await writeEnds(client, await failPayments(client, [{ item, code }], null, cause), 'held', nowMs);
    await client.query({
      name: 'return-instead',
      text: `
        update svc.recoveries set deed = 'return', updated_at = $4
        where account_id = $1 and mode = $2 and payment_id = $3 and deed = 'settle' and status = 'queued'`,
      values: [item.accountId, item.mode, item.paymentId, isoTime(nowMs)],
    });
  }
}

/** Undefined when the authorization itself is what the processor does not take. */
function failureOf(outcome: UnsentItem['outcome']): ErrorCode | undefined {
  if (outcome === 'intent_already_settled') return 'intent_not_payable';
  if (!['payout_inactive', 'amount_out_of_range', 'nonce_not_bound'].includes(outcome)) return undefined;
  const judgement = judgeItem(outcome);
  return judgement.end === 'failed' ? judgement.code : undefined;
}

async function setStatus(
  client: pg.ClientBase,
  { accountId, mode, paymentId }: LaneItem,
  status: 'mined' | 'done' | 'blocked',
  reason: string | null,
  nowMs: number,
): Promise<void> {
  await client.query({
    name: 'set-recovery-status',
    text: `
      update svc.recoveries set status = $4, reason = $5, updated_at = $6
      where account_id = $1 and mode = $2 and payment_id = $3 and status in ('queued', 'batched')`,
    values: [accountId, mode, paymentId, status, reason, isoTime(nowMs)],
  });
}
