// Allows one restore at a time, and only while no service runs: a running
// service would sign with used nonces and hand out used intent codes.
import type pg from 'pg';

export type RestoreLock<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly code: 'services_running' | 'recovery_running'; readonly who: readonly string[] };

const LOCK = `hashtextextended('svc.recover', 0)`;

export async function lockRestore<Result>(pool: pg.Pool, work: () => Promise<Result>): Promise<RestoreLock<Result>> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>(`select pg_try_advisory_lock(${LOCK}) as locked`);
    if (rows[0]?.locked !== true) return { ok: false, code: 'recovery_running', who: [] };
    try {
      const who = await runningServices(client);
      return who.length > 0 ? { ok: false, code: 'services_running', who } : { ok: true, result: await work() };
    } finally {
      await client.query(`select pg_advisory_unlock(${LOCK})`);
    }
  } finally {
    client.release();
  }
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
