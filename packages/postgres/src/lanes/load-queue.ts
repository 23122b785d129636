// What waits on a network and is not left aside, oldest first: the head by the queue's own index, everything else by key.
import { isoTime, type Lane, type LaneItem, type QueueShare } from '@svc-pay/core';
import type pg from 'pg';
import { ITEM_COLUMNS, ITEM_JOINS, type LaneItemRow, laneItemOf, SETTLEMENT_COLUMNS } from './lane-item-row.ts';

/** What only one relayer can carry is its own; everything else is shared by number. */
const MINE = '(case when bound_relayer is null then number % $2 = $3 else bound_relayer = $6 end)';

const PEEK = {
  name: 'lane-peek-queue',
  text: `
    select count(*)::integer as count, min(created_at) as oldest from (
      select created_at from svc.settlements
      where network = $1 and status = 'queued' and ${MINE} and (retry_at is null or retry_at <= $5)
      order by number limit $4
    ) head`,
};

export async function peekQueue(
  pool: pg.Pool,
  { network, relayer }: Lane,
  { index, count }: QueueShare,
  limit: number,
  nowMs: number,
): Promise<{ readonly count: number; readonly oldestAtMs: number }> {
  const { rows } = await pool.query<{ count: number; oldest: Date | null }>({
    ...PEEK,
    values: [network, count, index, limit, isoTime(nowMs), relayer],
  });
  return { count: rows[0]?.count ?? 0, oldestAtMs: rows[0]?.oldest?.getTime() ?? 0 };
}

const LOAD = {
  name: 'lane-load-queue',
  text: `
    with s as materialized (
      select ${SETTLEMENT_COLUMNS} from svc.settlements
      where network = $1 and status = 'queued' and ${MINE} and (retry_at is null or retry_at <= $5)
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
