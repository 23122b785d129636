// Loads a network's queue of stranded transfers with action settle or return, oldest first.
import type { Lane, LaneItem, QueuePeek, QueueShare } from '@svc-pay/core';
import type pg from 'pg';
import {
  STRANDED_COLUMNS,
  STRANDED_JOINS,
  type StrandedTransferRow,
  strandedItemOf,
} from '../payment/stranded-item-row.ts';

const QUEUED = `
  network = $1 and status = 'queued' and action <> 'hold' and number % $2 = $3 order by number limit $4`;

const PEEK = {
  name: 'stranded-peek-queue',
  text: `
    select count(*)::integer as count, min(created_at) as oldest from (
      select created_at from svc.stranded_transfers where ${QUEUED}
    ) head`,
};

export async function peekStrandedQueue(
  pool: pg.Pool,
  { network }: Lane,
  { index, count }: QueueShare,
  limit: number,
): Promise<QueuePeek> {
  const { rows } = await pool.query<{ count: number; oldest: Date | null }>({
    ...PEEK,
    values: [network, count, index, limit],
  });
  return { count: rows[0]?.count ?? 0, oldestAtMs: rows[0]?.oldest?.getTime() ?? 0, solo: false, refunds: false };
}

const LOAD = {
  name: 'stranded-load-queue',
  text: `
    with r as materialized (select * from svc.stranded_transfers where ${QUEUED})
    select ${STRANDED_COLUMNS} from r ${STRANDED_JOINS} order by r.number`,
};

export async function loadStrandedQueue(
  pool: pg.Pool,
  { network }: Lane,
  { index, count }: QueueShare,
  limit: number,
): Promise<readonly LaneItem[]> {
  const { rows } = await pool.query<StrandedTransferRow>({ ...LOAD, values: [network, count, index, limit] });
  return rows.map(strandedItemOf);
}
