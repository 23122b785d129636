// A recorded batch whose block is gone. In one transaction its payments are on their way again, its entries taken back, the
// merchant told, and its bytes in flight, where the lane offers them again.
import {
  isoTime,
  type LaneItem,
  type LedgerEntry,
  type RecordedBatch,
  reverseEntries,
  takeBackPayment,
} from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';
import { loadIntentsToChange } from '../stores/load-intent.ts';
import { beforeOf, changeOf } from './end-payments.ts';
import { loadLiveEntries } from './live-entries.ts';
import { loadRecordedBatch } from './mined-batches.ts';
import { type EndedPayment, writeEnds, writeEntries } from './write-ends.ts';

/** False when the batch is not recorded as mined in that block any more: somebody was faster. */
export async function takeBackBatch(
  pool: pg.Pool,
  batchId: string,
  blockHash: string,
  nowMs: number,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const changed = await client.query({
      name: 'take-back-batch',
      // When it was last sent stays as it is, so that its bytes are offered again at the lane's next turn.
      text: `
        update svc.batches set status = 'broadcast', block_number = null, block_hash = null
        where id = $1 and status = 'mined' and block_hash = $2`,
      values: [batchId, blockHash],
    });
    if (changed.rowCount !== 1) return false;
    const batch = await loadRecordedBatch(client, batchId, ['broadcast']);
    if (batch === undefined) throw new Error(`batch ${batchId} is gone`);
    await takeBackItems(client, batch, nowMs);
    return true;
  });
}

async function takeBackItems(client: pg.ClientBase, batch: RecordedBatch, nowMs: number): Promise<void> {
  const settled = batch.items.filter(({ paymentId }) => batch.settledIds.has(paymentId));
  const entries = await loadLiveEntries(client, settled, batch.transactionId);
  const reversed = (item: LaneItem) => reverseEntries(entries.get(item.paymentId) ?? [], { nowMs });
  const completed = settled.filter(({ recovery }) => recovery?.deed !== 'return');
  const ends = await takenBack(client, batch, completed, reversed, nowMs);
  await writeEnds(client, ends, 'completed', nowMs);
  // Money that was returned belongs to a payment that stays failed: only its books change.
  const returned = settled.filter(({ recovery }) => recovery?.deed === 'return');
  await writeEntries(client, returned.flatMap(reversed));
  await client.query({
    name: 'take-back-open-items',
    text: `
      with settlements as (
        update svc.settlements set status = 'batched', updated_at = $2 where batch_id = $1 and status = 'mined'
      )
      update svc.recoveries set status = 'batched', updated_at = $2 where batch_id = $1 and status in ('mined', 'done')`,
    values: [batch.id, isoTime(nowMs)],
  });
}

async function takenBack(
  client: pg.ClientBase,
  { id }: RecordedBatch,
  items: readonly LaneItem[],
  reversed: (item: LaneItem) => readonly LedgerEntry[],
  nowMs: number,
): Promise<readonly EndedPayment[]> {
  if (items.length === 0) return [];
  const befores = await loadIntentsToChange(client, items);
  return items.map((item) => {
    const before = beforeOf(befores, item);
    return {
      ...changeOf(before, takeBackPayment(before), { requestId: id, nowMs }),
      settlement: item.recovery === undefined ? 'batched' : 'held',
      failureCode: null,
      feeAtomic: null,
      refundAtomic: null,
      externalCostAtomic: null,
      entries: reversed(item),
    };
  });
}
