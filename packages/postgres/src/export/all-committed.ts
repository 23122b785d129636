import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const [FIRST_POLL_MS, LAST_POLL_MS] = [20, 200];
const NOW = {
  name: 'snapshot-bounds',
  text: `select pg_snapshot_xmin(snapshot)::text as oldest, pg_snapshot_xmax(snapshot)::text as next
    from (select pg_current_snapshot() as snapshot) now`,
};

/** Waits until every transaction that has begun by now is over; false if one still runs after `waitMs`. */
export async function allCommitted(pool: pg.Pool, waitMs: number): Promise<boolean> {
  const look = async () => {
    const { rows } = await pool.query<{ oldest: string; next: string }>(NOW);
    const [row] = rows;
    if (row === undefined) throw new Error('no snapshot');
    return { oldest: BigInt(row.oldest), next: BigInt(row.next) };
  };
  const { next, oldest } = await look();
  if (oldest >= next) return true;
  for (let waitedMs = 0, pauseMs = FIRST_POLL_MS; waitedMs < waitMs; pauseMs = Math.min(pauseMs * 2, LAST_POLL_MS)) {
    await sleep(pauseMs);
    waitedMs += pauseMs;
    if ((await look()).oldest >= next) return true;
  }
  return false;
}
