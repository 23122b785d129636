import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';

/** Turns bookings that carry their entries into those of a release whose entries were rows of their own. Default: all. */
export async function makeOlder(pool: pg.Pool, paymentIds: readonly string[] | null = null): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query(`set local session_replication_role = 'replica'`);
    await client.query(
      `insert into svc.ledger_entry_rows select e.* from svc.ledger_entries e
       where ($1::text[] is null or e.payment_id = any ($1))
         and not exists (select from svc.ledger_entry_rows older where older.id = e.id)`,
      [paymentIds],
    );
    await client.query(
      `update svc.ledger_bookings set network = null, created_at = null, account_names = null, parties = null, assets = null,
         amounts = null, transaction_ids = null, log_indexes = null, reverses = null
       where $1::text[] is null or payment_id = any ($1)`,
      [paymentIds],
    );
  });
}
