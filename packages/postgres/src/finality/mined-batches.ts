// Reads batches that are mined and not yet final, with all their payments, whatever the status of each payment is now.
import {
  BATCH_STATUS,
  type BatchBlock,
  type BatchStatus,
  CARRIED_SETTLEMENT,
  type LaneItem,
  type RecordedBatch,
  SETTLEMENT_STATUS,
  type SettlementStatus,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import { loadBatchRefunds } from '../lane/refund-items.ts';
import {
  ITEM_COLUMNS,
  ITEM_JOINS,
  type LaneItemRow,
  laneItemOf,
  SETTLEMENT_COLUMNS,
} from '../payment/lane-item-row.ts';
import { loadStrandedItems } from '../payment/stranded-item-row.ts';

const LOAD_BLOCKS = {
  name: 'load-batch-places',
  text: `
    select id, block_number, block_hash from svc.batches
    where network = $1 and relayer = any (array(select address from svc.relayers where network = $1))
      and status ${sqlIs(BATCH_STATUS.mined)} and block_number > $2
    order by block_number desc limit $3`,
};

/** Newest first, at most `limit`. Older batches are checked when they are about to become final. */
export async function loadBatchBlocks(
  pool: pg.Pool,
  network: string,
  finalizedNumber: bigint,
  limit: number,
): Promise<readonly BatchBlock[]> {
  const { rows } = await pool.query<{ id: string; block_number: string; block_hash: string }>({
    ...LOAD_BLOCKS,
    values: [network, finalizedNumber.toString(), limit],
  });
  return rows.map((row) => ({ id: row.id, blockNumber: BigInt(row.block_number), blockHash: row.block_hash }));
}

const LOAD_BATCH = {
  name: 'load-recorded-batch',
  text: `
    select b.network, b.relayer, b.nonce, b.transaction_id, r.duty, (
        select json_agg(json_build_object('id', t.transaction_id, 'raw', encode(t.raw_transaction, 'hex'))
          order by t.created_at)
        from svc.batch_transactions t where t.batch_id = b.id
      ) as transactions
    from svc.batches b join svc.relayers r on r.network = b.network and r.address = b.relayer
    where b.id = $1 and b.status = any ($2)`,
};

type BatchRow = {
  readonly network: NetworkId;
  readonly relayer: string;
  readonly nonce: string;
  readonly transaction_id: string;
  readonly duty: 'settle' | 'resolve_stranded';
  readonly transactions: readonly { readonly id: string; readonly raw: string }[];
};

const LOAD_ITEMS = {
  name: 'load-recorded-items',
  text: `
    with s as materialized (
      select ${SETTLEMENT_COLUMNS}, status from svc.settlements
      where batch_id = $1 and status ${sqlIs(...CARRIED_SETTLEMENT)}
    )
    select s.status as settlement, ${ITEM_COLUMNS} from s ${ITEM_JOINS} order by s.number`,
};

/** Undefined when the batch no longer has one of these statuses. */
export async function loadRecordedBatch(
  client: pg.ClientBase | pg.Pool,
  batchId: string,
  states: readonly BatchStatus[] = [BATCH_STATUS.mined],
): Promise<RecordedBatch | undefined> {
  const { rows } = await client.query<BatchRow>({ ...LOAD_BATCH, values: [batchId, states] });
  const [row] = rows;
  if (row === undefined) return undefined;
  const parts =
    row.duty === 'resolve_stranded' ? await loadStrandedItems(client, batchId) : await loadItems(client, batchId);
  return {
    id: batchId,
    network: row.network,
    relayer: row.relayer,
    nonce: BigInt(row.nonce),
    status: BATCH_STATUS.broadcast,
    sentAtMs: 0,
    transactionId: row.transaction_id,
    transactions: row.transactions.map(({ id, raw }) => ({ transactionId: id, raw: Buffer.from(raw, 'hex') })),
    items: parts.map(({ item }) => item),
    settledIds: new Set(parts.filter(({ settled }) => settled).map(({ item }) => item.paymentId)),
  };
}

async function loadItems(
  client: pg.ClientBase | pg.Pool,
  batchId: string,
): Promise<readonly { readonly item: LaneItem; readonly settled: boolean }[]> {
  const { rows } = await client.query<LaneItemRow & { settlement: SettlementStatus }>({
    ...LOAD_ITEMS,
    values: [batchId],
  });
  if (rows.length > 0)
    return rows.map((row) => ({ item: laneItemOf(row), settled: row.settlement === SETTLEMENT_STATUS.completed }));
  // A lane records no result of a refund, so none is recorded as settled.
  const refunds = (await loadBatchRefunds(client, [batchId])).get(batchId) ?? [];
  return refunds.map((item) => ({ item, settled: false }));
}
