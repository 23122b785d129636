import { type Lane, PENDING_BATCH, type PendingBatch, SETTLEMENT_STATUS, type SignedTransaction } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import {
  ITEM_COLUMNS,
  ITEM_JOINS,
  type LaneItemRow,
  laneItemOf,
  SETTLEMENT_COLUMNS,
} from '../payment/lane-item-row.ts';
import { loadStrandedTransfersOf, strandedItemOf } from '../payment/stranded-item-row.ts';
import type { BatchContents, PendingBatchCache } from './pending-batch-cache.ts';
import { loadBatchRefunds } from './refund-items.ts';

type BatchRow = {
  readonly id: string;
  readonly nonce: string;
  readonly status: PendingBatch['status'];
  readonly updated_at: Date;
  readonly transaction_ids: readonly string[];
  readonly item_count: number;
  readonly batch_limits: number;
  readonly bound: boolean;
  readonly linked_transaction_id: string | null;
  readonly seen_block_hash: string | null;
};

/** The settlements that a pending batch may still settle. */
const IN_BATCH = sqlIs(SETTLEMENT_STATUS.batched, SETTLEMENT_STATUS.mined);

const LOAD_BATCHES = {
  name: 'lane-load-batches',
  text: `
    select b.id, b.nonce, b.status, b.updated_at, b.at_risk is not null as bound, b.linked_transaction_id, b.seen_block_hash, array(
        select t.transaction_id from svc.batch_transactions t where t.batch_id = b.id order by t.created_at
      ) as transaction_ids, carried.*
    from svc.batches b
    cross join lateral (
      select count(*)::integer + (select count(*)::integer from svc.refunds r where r.batch_id = b.id) as item_count,
        coalesce(sum(batch_limit), 0)::integer as batch_limits
      from svc.settlements s where s.batch_id = b.id and s.status ${IN_BATCH}
    ) carried
    where b.network = $1 and b.relayer = $2 and b.status ${sqlIs(...PENDING_BATCH)} order by b.nonce`,
};

const LOAD_TRANSACTIONS = {
  name: 'lane-load-transactions',
  text: `
    select batch_id, transaction_id, raw_transaction, created_at from svc.batch_transactions
    where batch_id = any ($1) order by created_at`,
};

const LOAD_ITEMS = {
  name: 'lane-load-batch-items',
  text: `
    with s as materialized (
      select ${SETTLEMENT_COLUMNS} from svc.settlements where batch_id = any ($1) and status ${IN_BATCH}
    )
    select s.batch_id, ${ITEM_COLUMNS} from s ${ITEM_JOINS} order by s.number`,
};

/** Pending batches ordered by nonce. Items are in queue order, which is the order in which they were signed. */
export async function loadPendingBatches(
  pool: pg.Pool,
  lane: Lane,
  cache: PendingBatchCache,
  loadItems: typeof loadBatchItems = loadCarriedItems,
): Promise<readonly PendingBatch[]> {
  const { rows } = await pool.query<BatchRow>({ ...LOAD_BATCHES, values: [lane.network, lane.relayer] });
  const fingerprintOf = (row: BatchRow) => ({
    transactionIds: row.transaction_ids,
    itemCount: row.item_count,
    batchLimits: row.batch_limits,
  });
  const recalled = new Map(rows.map((row) => [row.id, cache.recall(lane, row.id, fingerprintOf(row))]));
  const unknown = rows.map(({ id }) => id).filter((id) => recalled.get(id) === undefined);
  const loaded = await loadBatchContents(pool, unknown, loadItems);
  cache.keepOnly(lane, new Set(rows.map(({ id }) => id)));
  for (const [id, contents] of loaded) cache.keep(lane, id, contents);
  return rows.map(({ id, nonce, status, updated_at, bound, linked_transaction_id, seen_block_hash }) => {
    const { transactions, items } = recalled.get(id) ?? loaded.get(id) ?? { transactions: [], items: [] };
    return {
      id,
      nonce: BigInt(nonce),
      status,
      sentAtMs: updated_at.getTime(),
      transactions,
      items,
      ...(linked_transaction_id !== null && { linkedTo: linked_transaction_id }),
      ...(seen_block_hash !== null && { seenIn: seen_block_hash }),
      ...(bound && { bound }),
    };
  });
}

async function loadBatchContents(
  pool: pg.Pool,
  batchIds: readonly string[],
  loadItems: typeof loadBatchItems,
): Promise<ReadonlyMap<string, BatchContents>> {
  if (batchIds.length === 0) return new Map();
  const { rows } = await pool.query<TransactionRow>({ ...LOAD_TRANSACTIONS, values: [batchIds] });
  const transactions = Map.groupBy(rows, ({ batch_id }) => batch_id);
  const items = await loadItems(pool, batchIds);
  return new Map(
    batchIds.map((id) => [
      id,
      { transactions: (transactions.get(id) ?? []).map(transactionOf), items: items.get(id) ?? [] },
    ]),
  );
}

type TransactionRow = {
  readonly batch_id: string;
  readonly transaction_id: string;
  readonly raw_transaction: Buffer;
  readonly created_at: Date;
};

const transactionOf = (row: TransactionRow): SignedTransaction => ({
  transactionId: row.transaction_id,
  raw: row.raw_transaction,
  signedAtMs: row.created_at.getTime(),
});

/** The payments of these batches that have no result yet. */
export async function loadBatchItems(
  pool: pg.Pool,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, PendingBatch['items']>> {
  const { rows } = await pool.query<LaneItemRow & { batch_id: string }>({ ...LOAD_ITEMS, values: [batchIds] });
  return new Map([...Map.groupBy(rows, (row) => row.batch_id)].map(([id, group]) => [id, group.map(laneItemOf)]));
}

/** Payments or refunds: a batch has either. */
async function loadCarriedItems(
  pool: pg.Pool,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, PendingBatch['items']>> {
  return new Map([...(await loadBatchItems(pool, batchIds)), ...(await loadBatchRefunds(pool, batchIds))]);
}

export async function loadStrandedBatchItems(
  pool: pg.Pool,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, PendingBatch['items']>> {
  const rows = await loadStrandedTransfersOf(pool, batchIds);
  return new Map(
    [...Map.groupBy(rows, (row) => row.stranded_batch ?? '')].map(([id, group]) => [id, group.map(strandedItemOf)]),
  );
}
