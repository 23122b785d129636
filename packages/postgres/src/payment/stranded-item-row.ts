// Reads stranded transfers, with the authorizations that their payers signed, as lane items.
import { type LaneItem, STRANDED_STATUS, type StrandedRecord } from '@svc-pay/core';
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
  readonly stranded_status: StrandedRecord['status'];
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
  return rows.map((row) => ({ item: strandedItemOf(row), settled: row.stranded_status === STRANDED_STATUS.done }));
}

const LOCK = {
  name: 'lock-stranded-of-batch',
  text: `
    select account_id, mode, payment_id, status, reason from svc.stranded_transfers
    where batch_id = $1 order by number for update`,
};

type RecordRow = {
  readonly account_id: StrandedRecord['accountId'];
  readonly mode: StrandedRecord['mode'];
  readonly payment_id: StrandedRecord['paymentId'];
  readonly status: StrandedRecord['status'];
  readonly reason: string | null;
};

/** Stranded transfers of a batch as recorded, locked until the caller's transaction ends. */
export async function lockStrandedRecords(client: pg.ClientBase, batchId: string): Promise<readonly StrandedRecord[]> {
  const { rows } = await client.query<RecordRow>({ ...LOCK, values: [batchId] });
  return rows.map(({ account_id, mode, payment_id, status, reason }) => ({
    accountId: account_id,
    mode,
    paymentId: payment_id,
    status,
    reason,
  }));
}
