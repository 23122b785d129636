import type { FlyingBatch, Lane } from '@svc-pay/core';
import type pg from 'pg';
import { ITEM_COLUMNS, ITEM_JOINS, type LaneItemRow, laneItemOf, SETTLEMENT_COLUMNS } from './lane-item-row.ts';
import { loadRecoveriesOf, recoveryItemOf } from './recovery-items.ts';

type BatchRow = {
  readonly id: string;
  readonly nonce: string;
  readonly status: FlyingBatch['status'];
  readonly updated_at: Date;
  readonly transactions: readonly { readonly id: string; readonly raw: string; readonly at: string }[];
};

const LOAD_BATCHES = {
  name: 'lane-load-batches',
  text: `
    select b.id, b.nonce, b.status, b.updated_at, (
        select json_agg(json_build_object(
            'id', t.transaction_id, 'raw', encode(t.raw_transaction, 'hex'),
            'at', (extract(epoch from t.created_at) * 1000)::bigint::text)
          order by t.created_at)
        from svc.batch_transactions t where t.batch_id = b.id
      ) as transactions
    from svc.batches b
    where b.network = $1 and b.relayer = $2 and b.status in ('signed', 'broadcast') order by b.nonce`,
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
  { network, relayer }: Lane,
  loadItems: typeof loadBatchItems = loadBatchItems,
): Promise<readonly FlyingBatch[]> {
  const { rows: batches } = await pool.query<BatchRow>({ ...LOAD_BATCHES, values: [network, relayer] });
  if (batches.length === 0) return [];
  const items = await loadItems(
    pool,
    batches.map(({ id }) => id),
  );
  return batches.map((batch) => ({
    id: batch.id,
    nonce: BigInt(batch.nonce),
    status: batch.status,
    sentAtMs: batch.updated_at.getTime(),
    transactions: batch.transactions.map(({ id, raw, at }) => ({
      transactionId: id,
      raw: Buffer.from(raw, 'hex'),
      signedAtMs: Number.parseInt(at, 10),
    })),
    items: items.get(batch.id) ?? [],
  }));
}

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
