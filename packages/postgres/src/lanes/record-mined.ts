// A mined batch is recorded in one transaction. What settled is completed; what did not stays open until a finalized
// block shows it, because a chain may still take its word back.
import { type FlyingBatch, type HeldLane, isoTime, type MinedBatch, type MinedItem } from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type pg from 'pg';
import { completePayments, type SettledPart } from './end-payments.ts';
import { requireHeld, unlessTakenOver } from './hold-lane.ts';
import { settlementKeys } from './move-settlements.ts';
import { writeEnds } from './write-ends.ts';

export type RecordOptions = {
  readonly nowMs: number;
  /** What the coin that pays for gas is worth; undefined when nobody said. */
  readonly gasCoin: Rate | undefined;
};

export async function recordMined(
  pool: pg.Pool,
  held: HeldLane,
  batch: FlyingBatch,
  mined: MinedBatch,
  options: RecordOptions,
): Promise<boolean> {
  return unlessTakenOver(pool, (client) => record(client, held, batch, mined, options));
}

async function record(
  client: pg.PoolClient,
  held: HeldLane,
  batch: FlyingBatch,
  mined: MinedBatch,
  { nowMs, gasCoin }: RecordOptions,
): Promise<void> {
  await requireHeld(client, held);
  if (!(await markMined(client, mined, nowMs))) return;
  const parts = batch.items.map((item, index) => ({ item, mined: minedPart(mined, item.paymentId, index) }));
  const cause = { requestId: batch.id, nowMs };
  const settled = parts.filter((part): part is SettledPart => part.mined.outcome === 'settled');
  await writeEnds(client, await completePayments(client, held, mined, settled, gasCoin, cause), 'batched', nowMs);
  const unsettled = parts.filter(({ mined: part }) => part.outcome !== 'settled').map(({ item }) => item);
  if (unsettled.length === 0) return;
  await client.query({
    name: 'record-unsettled-items',
    text: `
      update svc.settlements s
      set status = 'mined', updated_at = $4,
        -- For the day it is queued again: half as many, and one that went alone only after a while.
        batch_limit = case when $5 then greatest($6::integer / 2, 1) else batch_limit end,
        retry_at = case when $5 and $6 = 1 then $4::timestamptz + interval '1 minute' else retry_at end
      from unnest($1::text[], $2::text[], $3::text[]) as item (account_id, mode, payment_id)
      where s.account_id = item.account_id and s.mode = item.mode and s.payment_id = item.payment_id
        and s.status = 'batched'`,
    values: [...settlementKeys(unsettled), isoTime(nowMs), mined.reverted, batch.items.length],
  });
}

/** False when it was recorded before: the one who did it was cut off before it heard so. */
export async function markMined(client: pg.ClientBase, mined: MinedBatch, nowMs: number): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'record-mined-batch',
    text: `
      update svc.batches set status = 'mined', transaction_id = $2, block_number = $3, block_hash = $4, updated_at = $5
      where id = $1 and status in ('signed', 'broadcast')`,
    values: [mined.batchId, mined.transactionId, mined.blockNumber.toString(), mined.blockHash, isoTime(nowMs)],
  });
  return rowCount === 1;
}

export function minedPart({ items, batchId }: MinedBatch, paymentId: string, index: number): MinedItem {
  const part = items[index];
  if (part?.paymentId !== paymentId) throw new Error(`item ${index} of batch ${batchId} is not ${paymentId}`);
  return part;
}
