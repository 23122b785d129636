// Mined batches are recorded in one transaction. What settled is completed; what did not stays open until a finalized
// block shows it, because a chain may still take its word back.
import { type FoundBatch, type HeldLane, isoTime, type LaneItem, type MinedBatch, type MinedItem } from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type pg from 'pg';
import { completeBatches, type SettledPart } from './end-payments.ts';
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
  found: readonly FoundBatch[],
  options: RecordOptions,
): Promise<boolean> {
  return unlessTakenOver(pool, (client) => record(client, held, found, options));
}

async function record(
  client: pg.PoolClient,
  held: HeldLane,
  found: readonly FoundBatch[],
  { nowMs, gasCoin }: RecordOptions,
): Promise<void> {
  await requireHeld(client, held);
  const marked = await markMined(
    client,
    found.map(({ mined }) => mined),
    nowMs,
  );
  const unsettled: UnsettledPart[] = [];
  const settled = found
    .filter(({ mined }) => marked.has(mined.batchId))
    .map(({ batch, mined }) => {
      const parts = batch.items.map((item, index) => ({ item, mined: minedPart(mined, item.paymentId, index) }));
      for (const { item, mined: part } of parts) {
        if (part.outcome !== 'settled')
          unsettled.push({ item, reverted: mined.reverted, batchItems: batch.items.length });
      }
      return { batch: mined, parts: parts.filter((part): part is SettledPart => part.mined.outcome === 'settled') };
    });
  await writeEnds(client, await completeBatches(client, held, settled, gasCoin, nowMs), 'batched', nowMs);
  await leaveUnsettled(client, unsettled, nowMs);
}

type UnsettledPart = { readonly item: LaneItem; readonly reverted: boolean; readonly batchItems: number };

async function leaveUnsettled(client: pg.ClientBase, parts: readonly UnsettledPart[], nowMs: number): Promise<void> {
  if (parts.length === 0) return;
  await client.query({
    name: 'record-unsettled-items',
    text: `
      update svc.settlements s
      set status = 'mined', updated_at = $6,
        -- For the day it is queued again: half as many, and one that went alone only after a while.
        batch_limit = case when reverted then greatest(batch_items / 2, 1) else batch_limit end,
        retry_at = case when reverted and batch_items = 1 then $6::timestamptz + interval '1 minute' else retry_at end
      from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::integer[])
        as item (account_id, mode, payment_id, reverted, batch_items)
      where s.account_id = item.account_id and s.mode = item.mode and s.payment_id = item.payment_id
        and s.status = 'batched'`,
    values: [
      ...settlementKeys(parts.map(({ item }) => item)),
      parts.map(({ reverted }) => reverted),
      parts.map(({ batchItems }) => batchItems),
      isoTime(nowMs),
    ],
  });
}

/** Ids of those that were not recorded before: who recorded them was cut off before it heard so. */
export async function markMined(
  client: pg.ClientBase,
  mined: readonly MinedBatch[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ id: string }>({
    name: 'record-mined-batches',
    text: `
      update svc.batches b
      set status = 'mined', transaction_id = mined.transaction_id, block_number = mined.block_number,
        block_hash = mined.block_hash, updated_at = $5
      from unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
        as mined (id, transaction_id, block_number, block_hash)
      where b.id = mined.id and b.status in ('signed', 'broadcast')
      returning b.id`,
    values: [
      mined.map(({ batchId }) => batchId),
      mined.map(({ transactionId }) => transactionId),
      mined.map(({ blockNumber }) => blockNumber.toString()),
      mined.map(({ blockHash }) => blockHash),
      isoTime(nowMs),
    ],
  });
  return new Set(rows.map(({ id }) => id));
}

export function minedPart({ items, batchId }: MinedBatch, paymentId: string, index: number): MinedItem {
  const part = items[index];
  if (part?.paymentId !== paymentId) throw new Error(`item ${index} of batch ${batchId} is not ${paymentId}`);
  return part;
}
