// Stranded money that waits to be dealt with on a network, oldest first.
import type { Lane, LaneItem, QueueShare } from '@svc-pay/core';
import type pg from 'pg';
import { RECOVERY_COLUMNS, RECOVERY_JOINS, type RecoveryRow, recoveryItemOf } from './recovery-items.ts';

const QUEUED = `
  network = $1 and status = 'queued' and deed <> 'hold' and number % $2 = $3 order by number limit $4`;

const PEEK = {
  name: 'recovery-peek-queue',
  text: `
    select count(*)::integer as count, min(created_at) as oldest from (
      select created_at from svc.recoveries where ${QUEUED}
    ) head`,
};

export async function peekRecoveryQueue(
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
  name: 'recovery-load-queue',
  text: `
    with r as materialized (select * from svc.recoveries where ${QUEUED})
    select ${RECOVERY_COLUMNS} from r ${RECOVERY_JOINS} order by r.number`,
};

export async function loadRecoveryQueue(
  pool: pg.Pool,
  { network }: Lane,
  { index, count }: QueueShare,
  limit: number,
): Promise<readonly LaneItem[]> {
  const { rows } = await pool.query<RecoveryRow>({ ...LOAD, values: [network, count, index, limit] });
  return rows.map(recoveryItemOf);
}
