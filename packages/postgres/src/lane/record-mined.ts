// Records mined batches in one transaction. Settled payments are completed, payments
// of a reverted batch are queued again. Any other payment that did not settle stays
// `mined` until its block is final, because a reorg may still change the outcome.
import {
  BATCH_STATUS,
  BATCH_TRANSITIONS,
  burnsGas,
  type FoundBatch,
  isoTime,
  isRefundBatch,
  type LaneItem,
  type LaneLease,
  type LinkedItem,
  type MinedBatch,
  type MinedItem,
  NO_LINK,
  PENDING_BATCH,
  type QueuedAgain,
  queuedAgain,
  SETTLEMENT_STATUS,
  SETTLEMENT_TRANSITIONS,
  type SettledBatchItem,
} from '@svc-pay/core';
import type { Rate } from '@svc-pay/money';
import type pg from 'pg';
import { SLOT_NOW } from '../budget/budget-windows.ts';
import { sqlStep } from '../database/status-sql.ts';
import { bookGas, type GasSpent, gasSpent } from '../ledger/book-gas.ts';
import { linkPayments } from '../payment/link-payments.ts';
import { completeBatches } from '../payment/payment-results.ts';
import { markSoloPayers } from '../payment/solo-payers.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { settlementKeys } from '../settlement/move-settlements.ts';
import { requireLeaseBeside, withFence } from './lane-fence.ts';
import { recordMinedRefunds } from './refund-items.ts';

const MINED = sqlStep(BATCH_TRANSITIONS, PENDING_BATCH, BATCH_STATUS.mined);
const UNSETTLED = sqlStep(SETTLEMENT_TRANSITIONS, SETTLEMENT_STATUS.batched, SETTLEMENT_STATUS.mined);
const AGAIN = sqlStep(SETTLEMENT_TRANSITIONS, SETTLEMENT_STATUS.batched, SETTLEMENT_STATUS.queued);

export type RecordOptions = {
  readonly nowMs: number;
  /** Price of the coin that pays for gas; undefined when none is configured. */
  readonly gasCoin: Rate | undefined;
  /** Called after the commit. */
  readonly onGasSpent?: ((spent: readonly GasSpent[]) => void) | undefined;
};

export async function recordMined(
  pool: pg.Pool,
  lease: LaneLease,
  found: readonly FoundBatch[],
  options: RecordOptions,
): Promise<boolean> {
  const spent: GasSpent[] = [];
  const recorded = await withFence(pool, (client) => record(client, lease, found, options, spent));
  if (recorded) options.onGasSpent?.(spent);
  return recorded;
}

async function record(
  client: pg.PoolClient,
  lease: LaneLease,
  found: readonly FoundBatch[],
  { nowMs, gasCoin }: RecordOptions,
  spent: GasSpent[],
): Promise<void> {
  await requireLeaseBeside(client, lease);
  const marked = await markMined(
    client,
    found.map(({ mined }) => mined),
    nowMs,
  );
  const gas = await bookGas(client, lease, found, marked, nowMs);
  spent.push(...gasSpent(lease, found, gas));
  const recorded = found.filter(({ mined }) => marked.has(mined.batchId));
  await recordMinedRefunds(
    client,
    recorded.filter(({ batch }) => isRefundBatch(batch)),
    nowMs,
  );
  const payments = recorded.filter(({ batch }) => !isRefundBatch(batch));
  const unsettled: UnsettledBatchItem[] = [];
  const settled = payments.map(({ batch, mined }) => {
    const parts = batch.items.map((item, index) => ({ item, mined: minedItemOf(mined, item.paymentId, index) }));
    for (const { item, mined: part } of parts) {
      if (part.outcome !== 'settled') unsettled.push({ batch, transactionId: mined.transactionId, item, mined: part });
    }
    return {
      batch: mined,
      parts: parts.filter((part): part is SettledBatchItem => part.mined.outcome === 'settled'),
      gas: gas.get(batch.id)?.settled ?? new Map(),
    };
  });
  await writePaymentResults(
    client,
    await completeBatches(client, lease, settled, gasCoin, nowMs),
    SETTLEMENT_STATUS.batched,
    nowMs,
  );
  await leaveUnsettled(client, lease.network, unsettled, nowMs);
}

type UnsettledBatchItem = {
  readonly batch: FoundBatch['batch'];
  readonly transactionId: string;
  readonly item: LaneItem;
  readonly mined: MinedItem;
};

async function leaveUnsettled(
  client: pg.ClientBase,
  network: string,
  parts: readonly UnsettledBatchItem[],
  nowMs: number,
): Promise<void> {
  const judged = parts.map((part) => ({ ...part, again: queuedAgain(part.mined, part.batch.items.length, nowMs) }));
  await queueAgain(
    client,
    judged.filter((part): part is RevertedBatchItem => part.again !== undefined),
    nowMs,
  );
  const open = judged.filter(({ again }) => again === undefined);
  if (open.length > 0) {
    await client.query({
      name: 'record-unsettled-items',
      text: `
        update svc.settlements s set status = ${UNSETTLED.to}, updated_at = $4
        from unnest($1::text[], $2::text[], $3::text[]) as item (account_id, mode, payment_id)
        where s.account_id = item.account_id and s.mode = item.mode and s.payment_id = item.payment_id
          and s.status ${UNSETTLED.from}`,
      values: [...settlementKeys(open.map(({ item }) => item)), isoTime(nowMs)],
    });
  }
  await linkPayments(client, judged.flatMap(linkOf), nowMs);
  const burners = parts.filter(({ item, mined }) => burnsGas(item, mined)).map(({ item }) => item.payer);
  await markSoloPayers(client, network, burners, nowMs);
}

/** A payment that is queued again has left the batch. The others name the transaction that was mined. */
function linkOf({ batch, transactionId, item, again }: Judged): LinkedItem[] {
  const { id: requestId, linkedTo, seenIn } = batch;
  // Also where the batch names none: a restore or an older release may have left a name on the payment.
  if (again !== undefined) return [{ item, link: NO_LINK, requestId }];
  if (linkedTo === transactionId && seenIn === undefined) return [];
  return [{ item, link: { transactionId, transactionSplitId: null }, requestId }];
}

type Judged = UnsettledBatchItem & { readonly again: QueuedAgain | undefined };

type RevertedBatchItem = UnsettledBatchItem & { readonly again: QueuedAgain };

async function queueAgain(client: pg.ClientBase, parts: readonly RevertedBatchItem[], nowMs: number): Promise<void> {
  if (parts.length === 0) return;
  await client.query({
    name: 'queue-reverted-items',
    text: `
      with item as materialized (
        select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::timestamptz[])
          as item (account_id, mode, payment_id, batch_id, batch_limit, retry_at)
      ),
      remembered as (
        insert into svc.reverted_batches (account_id, mode, payment_id, batch_id, created_at)
        select account_id, mode, payment_id, batch_id, $7 from item
        on conflict do nothing
      )
      update svc.settlements s
      set status = ${AGAIN.to}, relayer = null, batch_id = null, updated_at = $7,
        batch_limit = item.batch_limit, retry_at = item.retry_at
      from item
      where s.account_id = item.account_id and s.mode = item.mode and s.payment_id = item.payment_id
        and s.status ${AGAIN.from}`,
    values: [
      ...settlementKeys(parts.map(({ item }) => item)),
      parts.map(({ batch }) => batch.id),
      parts.map(({ again }) => again.batchLimit),
      parts.map(({ again: { retryAtMs } }) => (retryAtMs === null ? null : isoTime(retryAtMs))),
      isoTime(nowMs),
    ],
  });
}

/**
 * Returns the batches not yet recorded, each with its number of
 * payments. The others were written by an attempt whose reply was lost.
 */
export async function markMined(
  client: pg.ClientBase,
  mined: readonly MinedBatch[],
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ id: string; item_count: number }>({
    name: 'record-mined-batches',
    text: `
      with recorded as (
        update svc.batches b
        set status = ${MINED.to}, transaction_id = mined.transaction_id, block_number = mined.block_number,
          block_hash = mined.block_hash, gas_booked = true, updated_at = $5,
          linked_transaction_id = mined.transaction_id, seen_block_hash = null
        from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $6::numeric[])
          as mined (id, transaction_id, block_number, block_hash, gas_cost)
        where b.id = mined.id and b.status ${MINED.from}
        returning b.id, b.item_count, b.network, b.relayer, mined.gas_cost
      ),
      paid as (
        insert into svc.gas_paid as known (network, relayer, slot, amount)
        select network, relayer, ${SLOT_NOW}, sum(gas_cost) from recorded group by network, relayer
        on conflict (network, slot, relayer) do update set amount = known.amount + excluded.amount
      )
      select id, item_count from recorded`,
    values: [
      mined.map(({ batchId }) => batchId),
      mined.map(({ transactionId }) => transactionId),
      mined.map(({ blockNumber }) => blockNumber.toString()),
      mined.map(({ blockHash }) => blockHash),
      isoTime(nowMs),
      mined.map(({ gasCostAtomic }) => gasCostAtomic.toString()),
    ],
  });
  return new Map(rows.map(({ id, item_count }) => [id, item_count]));
}

export function minedItemOf({ items, batchId }: MinedBatch, paymentId: string, index: number): MinedItem {
  const part = items[index];
  if (part?.paymentId !== paymentId)
    throw new Error(`item ${index} of batch ${batchId} is payment ${part?.paymentId}, not ${paymentId}`);
  return part;
}
