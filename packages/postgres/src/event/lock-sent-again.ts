import type pg from 'pg';

/**
 * Until the transaction ends, no event leaves with its unpaid intent. Take it before the event is read: otherwise a delivery
 * may be queued for an event that is gone.
 */
export async function lockSentAgain(client: pg.ClientBase): Promise<void> {
  await client.query(`select pg_advisory_xact_lock_shared(hashtextextended('svc.sent_again', 0))`);
}
