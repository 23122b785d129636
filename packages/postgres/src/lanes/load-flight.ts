import type { FlyingBatch, Lane, SignedTransaction } from '@svc-pay/core';
import type pg from 'pg';
import type { Cargo, FlightMemory } from './flight-memory.ts';
import { ITEM_COLUMNS, ITEM_JOINS, type LaneItemRow, laneItemOf, SETTLEMENT_COLUMNS } from './lane-item-row.ts';
import { loadRecoveriesOf, recoveryItemOf } from './recovery-items.ts';

type BatchRow = {
  readonly id: string;
  readonly nonce: string;
  readonly status: FlyingBatch['status'];
  readonly updated_at: Date;
  readonly transaction_ids: readonly string[];
  readonly item_count: number;
  readonly batch_limits: number;
};

const LOAD_BATCHES = {
  name: 'lane-load-batches',
  text: `
    select b.id, b.nonce, b.status, b.updated_at, array(
        select t.transaction_id from svc.batch_transactions t where t.batch_id = b.id order by t.created_at
      ) as transaction_ids, carried.*
    from svc.batches b
    cross join lateral (
      select count(*)::integer as item_count, coalesce(sum(batch_limit), 0)::integer as batch_limits
      from svc.settlements s where s.batch_id = b.id and s.status in ('batched', 'mined')
    ) carried
    where b.network = $1 and b.relayer = $2 and b.status in ('signed', 'broadcast') order by b.nonce`,
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
      select ${SETTLEMENT_COLUMNS} from svc.settlements where batch_id = any ($1) and status in ('batched', 'mined')
    )
    select s.batch_id, ${ITEM_COLUMNS} from s ${ITEM_JOINS} order by s.number`,
};

/** Batches without a known end, by nonce, each with its items in the order of the queue, which is that of signing. */
export async function loadFlight(
  pool: pg.Pool,
  lane: Lane,
  memory: FlightMemory,
  loadItems: typeof loadBatchItems = loadBatchItems,
): Promise<readonly FlyingBatch[]> {
  const { rows } = await pool.query<BatchRow>({ ...LOAD_BATCHES, values: [lane.network, lane.relayer] });
  const markOf = (row: BatchRow) => ({
    transactionIds: row.transaction_ids,
    itemCount: row.item_count,
    batchLimits: row.batch_limits,
  });
  const recalled = new Map(rows.map((row) => [row.id, memory.recall(lane, row.id, markOf(row))]));
  const unknown = rows.map(({ id }) => id).filter((id) => recalled.get(id) === undefined);
  const loaded = await loadCargo(pool, unknown, loadItems);
  memory.keepOnly(lane, new Set(rows.map(({ id }) => id)));
  for (const [id, cargo] of loaded) memory.keep(lane, id, cargo);
  return rows.map(({ id, nonce, status, updated_at }) => {
    const { transactions, items } = recalled.get(id) ?? loaded.get(id) ?? { transactions: [], items: [] };
    return { id, nonce: BigInt(nonce), status, sentAtMs: updated_at.getTime(), transactions, items };
  });
}

async function loadCargo(
  pool: pg.Pool,
  batchIds: readonly string[],
  loadItems: typeof loadBatchItems,
): Promise<ReadonlyMap<string, Cargo>> {
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

export async function loadBatchItems(
  pool: pg.Pool,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, FlyingBatch['items']>> {
  const { rows } = await pool.query<LaneItemRow & { batch_id: string }>({ ...LOAD_ITEMS, values: [batchIds] });
  return new Map([...Map.groupBy(rows, (row) => row.batch_id)].map(([id, group]) => [id, group.map(laneItemOf)]));
}

export async function loadRecoveryBatchItems(
  pool: pg.Pool,
  batchIds: readonly string[],
): Promise<ReadonlyMap<string, FlyingBatch['items']>> {
  const rows = await loadRecoveriesOf(pool, batchIds);
  return new Map(
    [...Map.groupBy(rows, (row) => row.recovery_batch ?? '')].map(([id, group]) => [id, group.map(recoveryItemOf)]),
  );
}
