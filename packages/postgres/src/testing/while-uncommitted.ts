import type pg from 'pg';
import { expect } from 'vitest';

/**
 * Begins a transaction with `change`, starts `act`, and commits as soon as `act` waits for a lock or is done. What `act` does
 * then is what it does after somebody else's change that it could not see.
 */
export async function whileUncommitted<Result>(
  pool: pg.Pool,
  change: readonly [statement: string, ...values: unknown[]],
  act: () => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    const [statement, ...values] = change;
    await client.query('begin');
    expect((await client.query(statement, values)).rowCount).toBeGreaterThan(0);
    let done = false;
    const acting = act().finally(() => {
      done = true;
    });
    acting.catch(() => {});
    await expect.poll(async () => done || (await waiters(client)) > 0, { interval: 5, timeout: 10_000 }).toBe(true);
    await client.query('commit');
    return await acting;
  } finally {
    client.release();
  }
}

async function waiters(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}
