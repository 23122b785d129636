// Recoveries with what their payers signed, as items of a lane.
import type { LaneItem } from '@svc-pay/core';
import type pg from 'pg';
import { ITEM_COLUMNS, ITEM_JOINS, type LaneItemRow, laneItemOf } from './lane-item-row.ts';

/** Of recoveries `r`; the settlement of each is found by key. */
export const RECOVERY_COLUMNS = `
  r.batch_id as recovery_batch, r.number as recovery_number, r.status as recovery_status, r.deed,
  r.stranded_transaction_id, r.stranded_log_index, ${ITEM_COLUMNS}`;

export const RECOVERY_JOINS = `
  cross join lateral (
    select * from svc.settlements s
    where s.account_id = r.account_id and s.mode = r.mode and s.payment_id = r.payment_id offset 0
  ) s ${ITEM_JOINS}`;

export type RecoveryRow = LaneItemRow & {
  readonly recovery_batch: string | null;
  readonly recovery_number: string;
  readonly recovery_status: string;
  readonly deed: 'settle' | 'return';
  readonly stranded_transaction_id: string;
  readonly stranded_log_index: number;
};

export function recoveryItemOf(row: RecoveryRow): LaneItem {
  return {
    ...laneItemOf(row),
    number: BigInt(row.recovery_number),
    recovery: { deed: row.deed, transactionId: row.stranded_transaction_id, logIndex: row.stranded_log_index },
  };
}

const OF_BATCHES = {
  name: 'load-recoveries-of-batches',
  text: `
    with r as materialized (select * from svc.recoveries where batch_id = any ($1))
    select ${RECOVERY_COLUMNS} from r ${RECOVERY_JOINS} order by r.number`,
};

export async function loadRecoveriesOf(
  client: pg.ClientBase | pg.Pool,
  batchIds: readonly string[],
): Promise<readonly RecoveryRow[]> {
  return (await client.query<RecoveryRow>({ ...OF_BATCHES, values: [batchIds] })).rows;
}

export async function loadRecoveryItems(
  client: pg.ClientBase | pg.Pool,
  batchId: string,
): Promise<readonly { readonly item: LaneItem; readonly settled: boolean }[]> {
  const rows = await loadRecoveriesOf(client, [batchId]);
  return rows.map((row) => ({ item: recoveryItemOf(row), settled: row.recovery_status === 'done' }));
}
