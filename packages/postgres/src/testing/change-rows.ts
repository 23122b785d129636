import type pg from 'pg';
import { expect } from 'vitest';

/** Changes rows with all triggers off, as a database superuser could. */
export async function changeRows(pool: pg.Pool, statement: string, values: readonly unknown[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`set session_replication_role = 'replica'`);
    expect((await client.query(statement, [...values])).rowCount).toBeGreaterThan(0);
  } finally {
    await client.query('reset session_replication_role');
    client.release();
  }
}
