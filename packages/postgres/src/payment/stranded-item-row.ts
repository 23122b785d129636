// Reads stranded transfers, with the authorizations that their payers signed, as lane items.
import type { LaneItem } from '@svc-pay/core';
import type pg from 'pg';
import { NOT_MERGED } from '../database/planner.ts';
import { ITEM_COLUMNS, ITEM_JOINS, type LaneItemRow, laneItemOf } from './lane-item-row.ts';

/** Columns of `svc.stranded_transfers r` joined by `STRANDED_JOINS`, which looks up each settlement by key. */
export const STRANDED_COLUMNS = `
  r.batch_id as stranded_batch, r.number as stranded_number, r.status as stranded_status, r.action,
  r.stranded_transaction_id, r.stranded_log_index, ${ITEM_COLUMNS}`;

export const STRANDED_JOINS = `
  cross join lateral (
    select * from svc.settlements s
    where s.account_id = r.account_id and s.mode = r.mode and s.payment_id = r.payment_id ${NOT_MERGED}
  ) s ${ITEM_JOINS}`;

export type StrandedTransferRow = LaneItemRow & {
  readonly stranded_batch: string | null;
  readonly stranded_number: string;
  readonly stranded_status: string;
  readonly action: 'settle' | 'return';
  readonly stranded_transaction_id: string;
  readonly stranded_log_index: number;
};

export function strandedItemOf(row: StrandedTransferRow): LaneItem {
  return {
    ...laneItemOf(row),
    number: BigInt(row.stranded_number),
    strandedTransfer: {
      action: row.action,
      transactionId: row.stranded_transaction_id,
      logIndex: row.stranded_log_index,
    },
  };
}

const OF_BATCHES = {
  name: 'load-stranded-of-batches',
  text: `
    with r as materialized (select * from svc.stranded_transfers where batch_id = any ($1))
    select ${STRANDED_COLUMNS} from r ${STRANDED_JOINS} order by r.number`,
};

export async function loadStrandedTransfersOf(
  client: pg.ClientBase | pg.Pool,
  batchIds: readonly string[],
): Promise<readonly StrandedTransferRow[]> {
  return (await client.query<StrandedTransferRow>({ ...OF_BATCHES, values: [batchIds] })).rows;
}

export async function loadStrandedItems(
  client: pg.ClientBase | pg.Pool,
  batchId: string,
): Promise<readonly { readonly item: LaneItem; readonly settled: boolean }[]> {
  const rows = await loadStrandedTransfersOf(client, [batchId]);
  return rows.map((row) => ({ item: strandedItemOf(row), settled: row.stranded_status === 'done' }));
}
