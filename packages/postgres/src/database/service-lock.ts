// Services and a restore exclude each other for as long as they run: every connection of a service shares a lock that a
// restore holds alone. A service that signed or handed out intent codes during a restore would use what the chain has already.
import type pg from 'pg';

/** The number of the advisory lock, of this database. */
export const SERVICE_LOCK = `hashtextextended('svc.recover', 0)`;

/** A service gets no connection while a restore runs. It works as soon as the restore has ended. */
export class RestoreRunning extends Error {
  override readonly name = 'RestoreRunning';
  constructor() {
    super('a restore of this database is running (svc restore): no service gets a connection until it has ended');
  }
}

/** Shares the lock until the connection ends. Throws `RestoreRunning`. */
export async function shareServiceLock(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ shared: boolean }>(
    `select pg_try_advisory_lock_shared(${SERVICE_LOCK}) as shared`,
  );
  if (rows[0]?.shared !== true) throw new RestoreRunning();
}
