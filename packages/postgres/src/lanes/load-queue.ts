// What waits on a network, oldest first. The head is found by the queue's own index whatever the planner knows of the
// table: the keys are gathered first and everything else is looked up by key.
import type { Lane, LaneItem, QueueShare } from '@svc-pay/core';
import type pg from 'pg';
import { ITEM_COLUMNS, ITEM_JOINS, type LaneItemRow, laneItemOf } from './lane-item-row.ts';

const PEEK = {
  name: 'lane-peek-queue',
  text: `
    select count(*)::integer as count, min(created_at) as oldest from (
      select created_at from svc.settlements
      where network = $1 and status = 'queued' and number % $2 = $3 order by number limit $4
    ) head`,
};

export async function peekQueue(
  pool: pg.Pool,
  { network }: Lane,
  { index, count }: QueueShare,
  limit: number,
): Promise<{ readonly count: number; readonly oldestAtMs: number }> {
  const { rows } = await pool.query<{ count: number; oldest: Date | null }>({
    ...PEEK,
    values: [network, count, index, limit],
  });
  return { count: rows[0]?.count ?? 0, oldestAtMs: rows[0]?.oldest?.getTime() ?? 0 };
}

const LOAD = {
  name: 'lane-load-queue',
  text: `
    with head as materialized (
      select account_id, mode, payment_id, number from svc.settlements
      where network = $1 and status = 'queued' and number % $2 = $3 order by number limit $4
    )
    select ${ITEM_COLUMNS}
    from head
    join svc.settlements s
      on s.account_id = head.account_id and s.mode = head.mode and s.payment_id = head.payment_id
    ${ITEM_JOINS}
    order by s.number`,
};

export async function loadQueue(
  pool: pg.Pool,
  { network }: Lane,
  { index, count }: QueueShare,
  limit: number,
): Promise<readonly LaneItem[]> {
  const { rows } = await pool.query<LaneItemRow>({ ...LOAD, values: [network, count, index, limit] });
  return rows.map(laneItemOf);
}
