// Reverses a recorded batch whose block a reorg removed. One transaction reverses its payments and ledger entries,
// writes the events for the merchant, and makes the batch pending again, so that the lane sends its bytes again.
import {
  isoTime,
  type LaneItem,
  type LedgerEntry,
  type RecordedBatch,
  reverseEntries,
  reverseLosses,
  reversePayment,
} from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { loadIntentsToChange } from '../intent/load-intent.ts';
import { loadLosses, writeLosses } from '../ledger/gas-losses.ts';
import { loadLiveEntries } from '../ledger/live-entries.ts';
import { beforeOf, changeOf } from '../payment/payment-results.ts';
import { type PaymentResultRow, writeEntries, writePaymentResults } from '../payment/write-payment-results.ts';
import { loadRecordedBatch } from './mined-batches.ts';

/** False if the batch is no longer recorded as mined in that block: another process has already changed it. */
export async function reverseBatch(pool: pg.Pool, batchId: string, blockHash: string, nowMs: number): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const changed = await client.query({
      name: 'take-back-batch',
      // `updated_at` keeps the time of the last broadcast, so that the lane sends the bytes again in its next round.
      text: `
        update svc.batches set status = 'broadcast', block_number = null, block_hash = null, gas_booked = false
        where id = $1 and status = 'mined' and block_hash = $2`,
      values: [batchId, blockHash],
    });
    if (changed.rowCount !== 1) return false;
    const batch = await loadRecordedBatch(client, batchId, ['broadcast']);
    if (batch === undefined) throw new Error(`batch ${batchId} is gone`);
    await reverseItems(client, batch, nowMs);
    const losses = (await loadLosses(client, [batchId])).get(batchId) ?? [];
    await writeLosses(client, reverseLosses(losses, { nowMs }));
    return true;
  });
}

async function reverseItems(client: pg.ClientBase, batch: RecordedBatch, nowMs: number): Promise<void> {
  const settled = batch.items.filter(({ paymentId }) => batch.settledIds.has(paymentId));
  const entries = await loadLiveEntries(client, settled, batch.transactionId);
  const reversed = (item: LaneItem) => reverseEntries(entries.get(item.paymentId) ?? [], { nowMs });
  const completed = settled.filter(({ strandedTransfer }) => strandedTransfer?.action !== 'return');
  const results = await reversals(client, batch, completed, reversed, nowMs);
  await writePaymentResults(client, results, 'completed', nowMs);
  // The payment of a returned transfer stays failed; only its ledger entries are reversed.
  const returned = settled.filter(({ strandedTransfer }) => strandedTransfer?.action === 'return');
  await writeEntries(client, returned.flatMap(reversed));
  await client.query({
    name: 'reverse-open-items',
    text: `
      with settlements as (
        update svc.settlements set status = 'batched', updated_at = $2 where batch_id = $1 and status = 'mined'
      )
      update svc.stranded_transfers set status = 'batched', updated_at = $2
      where batch_id = $1 and (status in ('mined', 'done') or (status = 'blocked' and reason = 'reverted'))`,
    values: [batch.id, isoTime(nowMs)],
  });
}

async function reversals(
  client: pg.ClientBase,
  { id }: RecordedBatch,
  items: readonly LaneItem[],
  reversed: (item: LaneItem) => readonly LedgerEntry[],
  nowMs: number,
): Promise<readonly PaymentResultRow[]> {
  if (items.length === 0) return [];
  const befores = await loadIntentsToChange(client, items);
  return items.map((item) => {
    const before = beforeOf(befores, item);
    return {
      ...changeOf(before, reversePayment(before), { requestId: id, nowMs }),
      settlement: item.strandedTransfer === undefined ? 'batched' : 'held',
      failureCode: null,
      feeAtomic: null,
      refundAtomic: null,
      externalCostAtomic: null,
      entries: reversed(item),
    };
  });
}
