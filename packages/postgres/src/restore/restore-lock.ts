// Allows one restore at a time, and only while no service runs: a running service would sign with used nonces and hand out
// used intent codes. The lock holds until the restore ends: no service gets a connection meanwhile.
import type pg from 'pg';
import { SERVICE_LOCK } from '../database/service-lock.ts';

type Refusal = {
  readonly ok: false;
  readonly code: 'services_running' | 'recovery_running';
  readonly who: readonly string[];
};
export type RestoreLock<Result> = { readonly ok: true; readonly result: Result } | Refusal;

/** Thrown if the connection with the lock broke: a service may have started since, so nothing more is written. */
export class RestoreLockLost extends Error {
  override readonly name = 'RestoreLockLost';
}

/** Throws `RestoreLockLost` unless the lock is still held. */
export type RequireLock = () => Promise<void>;

export async function lockRestore<Result>(
  pool: pg.Pool,
  work: (requireLock: RequireLock) => Promise<Result>,
): Promise<RestoreLock<Result>> {
  const client = await pool.connect();
  // The session has the lock as long as it lives.
  const requireLock = async () => {
    await client.query('select').catch((problem: unknown) => {
      throw new RestoreLockLost('the connection with the lock of the restore broke', { cause: problem });
    });
  };
  let isUnlocked = false;
  try {
    const { rows } = await client.query<{ locked: boolean }>(`select pg_try_advisory_lock(${SERVICE_LOCK}) as locked`);
    if (rows[0]?.locked !== true) {
      isUnlocked = true;
      return await refusal(client);
    }
    // Services of an earlier version do not share the lock.
    const who = await runningServices(client);
    const done =
      who.length > 0
        ? ({ ok: false, code: 'services_running', who } as const)
        : ({ ok: true, result: await work(requireLock) } as const);
    await requireLock();
    await client.query(`select pg_advisory_unlock(${SERVICE_LOCK})`);
    isUnlocked = true;
    return done;
  } finally {
    // Otherwise the connection is closed, and the lock goes with it.
    client.release(!isUnlocked);
  }
}

/** Another restore holds the lock alone, or services share it. */
async function refusal(client: pg.ClientBase): Promise<Refusal> {
  const { rows } = await client.query<{ name: string; alone: boolean }>(
    `select distinct application_name as name, mode = 'ExclusiveLock' as alone
     from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
       and objsubid = 1 and (classid::bigint << 32) | objid::bigint = ${SERVICE_LOCK} order by name`,
  );
  if (rows.some(({ alone }) => alone)) return { ok: false, code: 'recovery_running', who: [] };
  return { ok: false, code: 'services_running', who: rows.map(({ name }) => name) };
}

/** Application names of connected services, such as `svc-api`. */
async function runningServices(client: pg.ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and application_name in ('svc-api', 'svc-settlement', 'svc-webhooks')
     order by name`,
  );
  return rows.map(({ name }) => name);
}
