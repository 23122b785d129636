import type pg from 'pg';
import { expect } from 'vitest';
import { unguardLedger } from './unguard-ledger.ts';

/** Changes rows with all triggers and checks of the ledger off, as a database superuser could. */
export async function changeRows(pool: pg.Pool, statement: string, values: readonly unknown[]): Promise<void> {
  const entries = statement.includes('svc.ledger_entries');
  if (entries) await unguardLedger(pool);
  const client = await pool.connect();
  try {
    // Entries are changed by triggers of their view.
    if (!entries) await client.query(`set session_replication_role = 'replica'`);
    expect((await client.query(statement, [...values])).rowCount).toBeGreaterThan(0);
  } finally {
    await client.query('reset session_replication_role');
    client.release();
  }
}
