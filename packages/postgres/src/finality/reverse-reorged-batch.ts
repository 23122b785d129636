// Reverses a recorded batch whose block a reorg removed. One transaction reverses its payments and ledger entries,
// writes the events for the merchant, and makes the batch pending again, so that the lane sends its bytes again.
import {
  BATCH_STATUS,
  BATCH_TRANSITIONS,
  type BatchReversal,
  decideReversal,
  isoTime,
  type RecordedBatch,
  SETTLEMENT_STATUS,
  STRANDED_STATUS,
} from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlStatus, sqlStep } from '../database/status-sql.ts';
import { loadLosses, writeLosses } from '../ledger/gas-losses.ts';
import { loadLiveEntries } from '../ledger/live-entries.ts';
import { loadBefores } from '../payment/payment-results.ts';
import { lockStrandedRecords } from '../payment/stranded-item-row.ts';
import { writeEntries, writePaymentResults } from '../payment/write-payment-results.ts';
import { loadRecordedBatch } from './mined-batches.ts';

const GONE = sqlStep(BATCH_TRANSITIONS, BATCH_STATUS.mined, BATCH_STATUS.broadcast, 'reorg');
// `updated_at` keeps the time of the last broadcast, so that the lane sends the bytes again in its next round. The proofs go,
// and with them what was read of them.
const TAKE_BACK = {
  name: 'take-back-batch',
  text: `
    update svc.batches set status = ${GONE.to}, block_number = null, block_hash = null, gas_booked = false,
      logs_read = 0
    where id = $1 and status ${GONE.from} and block_hash = $2`,
};

/** False if the batch is no longer recorded as mined in that block: another process has already changed it. */
export async function reverseBatch(pool: pg.Pool, batchId: string, blockHash: string, nowMs: number): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const changed = await client.query({
      ...TAKE_BACK,
      values: [batchId, blockHash],
    });
    if (changed.rowCount !== 1) return false;
    const batch = await loadRecordedBatch(client, batchId, [BATCH_STATUS.broadcast]);
    if (batch === undefined) throw new Error(`batch ${batchId} is gone`);
    await write(client, batch, await decide(client, batch, nowMs), nowMs);
    return true;
  });
}

async function decide(client: pg.ClientBase, batch: RecordedBatch, nowMs: number): Promise<BatchReversal> {
  const settled = batch.items.filter(({ paymentId }) => batch.settledIds.has(paymentId));
  const facts = {
    befores: await loadBefores(client, settled),
    entries: await loadLiveEntries(client, settled, batch.transactionId),
    losses: (await loadLosses(client, [batch.id])).get(batch.id) ?? [],
    stranded: await lockStrandedRecords(client, batch.id),
  };
  return decideReversal(batch, facts, nowMs);
}

async function write(
  client: pg.ClientBase,
  { id }: RecordedBatch,
  { results, entries, losses, open, batchedTransfers }: BatchReversal,
  nowMs: number,
): Promise<void> {
  await writePaymentResults(client, results, SETTLEMENT_STATUS.completed, nowMs);
  await writeEntries(client, entries);
  await client.query({
    name: 'reverse-open-items',
    text: `
      with settlements as (
        update svc.settlements set status = $4, updated_at = $2 where batch_id = $1 and status = $3
      )
      update svc.stranded_transfers set status = ${sqlStatus(STRANDED_STATUS.batched)}, updated_at = $2
      where batch_id = $1 and payment_id = any ($5)`,
    values: [id, isoTime(nowMs), open.from, open.to, batchedTransfers.map(({ paymentId }) => paymentId)],
  });
  await writeLosses(client, losses);
}
