// Loads a network's shared queue without solo and deferred payments, oldest first. The head of the queue is read by its
// partial index, all other tables by key.
import { isoTime, type Lane, type LaneItem, type QueuePeek, type QueueShare, SETTLEMENT_STATUS } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import {
  ITEM_COLUMNS,
  ITEM_JOINS,
  type LaneItemRow,
  laneItemOf,
  SETTLEMENT_COLUMNS,
} from '../payment/lane-item-row.ts';
import { IN_SHARE } from './queue-share.ts';
import { SENDABLE_REFUND } from './refund-items.ts';

const QUEUED = sqlIs(SETTLEMENT_STATUS.queued);

const PEEK = {
  name: 'lane-peek-queue',
  text: `
    select count(*)::integer as count, min(created_at) as oldest, exists (
        select from svc.settlements where network = $1 and status ${QUEUED} and solo_payer is not null
      ) as solo, exists (
        select from svc.refunds r where ${SENDABLE_REFUND}
      ) as refunds
    from (
      select created_at from svc.settlements
      where network = $1 and status ${QUEUED} and solo_payer is null and ${IN_SHARE}
        and (retry_at is null or retry_at <= $5)
      order by number limit $4
    ) head`,
};

export async function peekQueue(
  pool: pg.Pool,
  { network, relayer }: Lane,
  { index, count }: QueueShare,
  limit: number,
  nowMs: number,
): Promise<QueuePeek> {
  const { rows } = await pool.query<{ count: number; oldest: Date | null; solo: boolean; refunds: boolean }>({
    ...PEEK,
    values: [network, count, index, limit, isoTime(nowMs), relayer],
  });
  const [row] = rows;
  return {
    count: row?.count ?? 0,
    oldestAtMs: row?.oldest?.getTime() ?? 0,
    solo: row?.solo ?? false,
    refunds: row?.refunds ?? false,
  };
}

const LOAD = {
  name: 'lane-load-queue',
  text: `
    with s as materialized (
      select ${SETTLEMENT_COLUMNS} from svc.settlements
      where network = $1 and status ${QUEUED} and solo_payer is null and ${IN_SHARE}
        and (retry_at is null or retry_at <= $5)
      order by number limit $4
    )
    select ${ITEM_COLUMNS} from s ${ITEM_JOINS} order by s.number`,
};

export async function loadQueue(
  pool: pg.Pool,
  { network, relayer }: Lane,
  { index, count }: QueueShare,
  limit: number,
  nowMs: number,
): Promise<readonly LaneItem[]> {
  const values = [network, count, index, limit, isoTime(nowMs), relayer];
  const { rows } = await pool.query<LaneItemRow>({ ...LOAD, values });
  return rows.map(laneItemOf);
}
