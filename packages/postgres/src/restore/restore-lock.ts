// Allows one restore at a time, and only while no service runs: a running service would sign with used nonces and hand out
// used intent codes. The lock holds until the restore ends: no service gets a connection meanwhile.
import type pg from 'pg';
import { SERVICE_LOCK } from '../database/service-lock.ts';

type Refusal = {
  readonly ok: false;
  readonly code: 'services_running' | 'recovery_running';
  /** Application names of services; where and since when the other restore runs. */
  readonly who: readonly string[];
};
export type RestoreLock<Result> = { readonly ok: true; readonly result: Result } | Refusal;

/** Thrown if the lock is lost: a service may have started since, so nothing more is written. */
export class RestoreLockLost extends Error {
  override readonly name = 'RestoreLockLost';
}

/** Throws `RestoreLockLost` unless the lock is still held. */
export type RequireLock = () => Promise<void>;

type LockPatience = {
  /** How often the session with the lock is asked while the restore reads: firewalls forget a connection that is silent. */
  readonly everyMs: number;
  /** The session counts as lost if it does not answer for so long. */
  readonly answerMs: number;
  /** A service that is connected for so long does not share the lock: one that does is turned away at once. */
  readonly turnAwayMs: number;
};

const PATIENCE: LockPatience = { everyMs: 20_000, answerMs: 30_000, turnAwayMs: 10_000 };
/** Services of an earlier version do not share the lock. */
const SERVICES = ['svc-api', 'svc-settlement', 'svc-webhooks'];
/** An API without requests has closed its other connections. The first of these may return while the lock is held. */
const PARTS_OF_SERVICES = ['svc-watch', 'svc-api-limits', 'svc-api-lists', 'svc-api-exports'];

export async function lockRestore<Result>(
  pool: pg.Pool,
  work: (requireLock: RequireLock) => Promise<Result>,
  patience = PATIENCE,
): Promise<RestoreLock<Result>> {
  const client = await pool.connect();
  // The session has the lock as long as it lives.
  const ask = async () => {
    const old = await connectedFor(client, SERVICES, patience).catch((problem: unknown) => {
      throw new RestoreLockLost('The connection that keeps services away broke', { cause: problem });
    });
    if (old.length > 0) throw new RestoreLockLost(`Services of an earlier version have started: ${old.join(', ')}`);
  };
  // One question at a time; once lost, always lost.
  let answered = Promise.resolve();
  const requireSession = () => {
    answered = answered.then(ask);
    return answered;
  };
  let isUnlocked = false;
  try {
    await endWithItsMachine(client);
    const { rows } = await client.query<{ locked: boolean; pid: number }>(
      `select pg_try_advisory_lock(${SERVICE_LOCK}) as locked, pg_backend_pid() as pid`,
    );
    const [holder] = rows;
    if (holder?.locked !== true) {
      isUnlocked = true;
      return await refusal(client);
    }
    const requireLock = async () => {
      await requireSession();
      await requireHolder(pool, holder.pid);
    };
    const who = await connectedFor(client, [...SERVICES, ...PARTS_OF_SERVICES], { ...patience, turnAwayMs: 0 });
    const done =
      who.length > 0
        ? ({ ok: false, code: 'services_running', who } as const)
        : ({ ok: true, result: await workWithLock(() => work(requireLock), requireSession, patience) } as const);
    await requireSession();
    await client.query(`select pg_advisory_unlock(${SERVICE_LOCK})`);
    isUnlocked = true;
    return done;
  } finally {
    // Otherwise the connection is closed, and the lock goes with it.
    client.release(!isUnlocked);
  }
}

/**
 * The server ends the session, and with it the lock, within a minute after the machine of the restore or the way to it is
 * gone. By default it takes two hours, in which no service gets a connection.
 */
export async function endWithItsMachine(client: pg.ClientBase): Promise<void> {
  await client.query(
    `select set_config(name, value, false) from (values ('tcp_keepalives_idle', '20'), ('tcp_keepalives_interval', '10'),
       ('tcp_keepalives_count', '3'), ('tcp_user_timeout', '50000')) as settings (name, value)`,
  );
}

/** Throws `RestoreLockLost` as soon as the lock is lost, also while the work asks only nodes. */
async function workWithLock<Result>(
  work: () => Promise<Result>,
  requireSession: RequireLock,
  { everyMs }: LockPatience,
): Promise<Result> {
  const lost = Promise.withResolvers<never>();
  let asked: Promise<void> | undefined;
  const ask = async () => {
    await requireSession();
    asked = undefined;
  };
  const timer = setInterval(() => {
    asked ??= ask().catch(lost.reject);
  }, everyMs);
  try {
    return await Promise.race([work(), lost.promise]);
  } finally {
    clearInterval(timer);
    await asked;
  }
}

/**
 * Throws `RestoreLockLost` unless the server that the pool writes to has the lock. No standby has it: after a failover its
 * session may live on at the old server, while services work at the new one.
 */
async function requireHolder(pool: pg.Pool, pid: number): Promise<void> {
  const { rowCount } = await pool.query(
    `select from pg_locks where ${IS_SERVICE_LOCK} and mode = 'ExclusiveLock' and pid = $1`,
    [pid],
  );
  if (rowCount !== 1)
    throw new RestoreLockLost('The address of the database leads to another server than when the restore began');
}

const IS_SERVICE_LOCK = `locktype = 'advisory' and granted
  and database = (select oid from pg_database where datname = current_database())
  and objsubid = 1 and (classid::bigint << 32) | objid::bigint = ${SERVICE_LOCK}`;

/** Another restore holds the lock alone, or services share it. */
async function refusal(client: pg.ClientBase): Promise<Refusal> {
  const { rows } = await client.query<{ name: string; alone: boolean; holder: string }>(
    `select distinct application_name as name, mode = 'ExclusiveLock' as alone, format('server process %s, from %s, since %s',
       pid, coalesce(host(client_addr), 'a local socket'), date_trunc('second', backend_start)) as holder
     from pg_locks join pg_stat_activity using (pid)
     where ${IS_SERVICE_LOCK} order by name`,
  );
  const restores = rows.filter(({ alone }) => alone).map(({ holder }) => holder);
  if (restores.length > 0) return { ok: false, code: 'recovery_running', who: restores };
  return { ok: false, code: 'services_running', who: [...new Set(rows.map(({ name }) => name))] };
}

/** Which of the application names have been connected for `turnAwayMs`. */
async function connectedFor(
  client: pg.ClientBase,
  names: readonly string[],
  { answerMs, turnAwayMs }: LockPatience,
): Promise<readonly string[]> {
  const query = {
    text: `select distinct application_name as name from pg_stat_activity
      where datname = current_database() and application_name = any ($1)
        and ($2 = 0 or backend_start < clock_timestamp() - $2 * interval '1 millisecond')
      order by name`,
    values: [names, turnAwayMs],
    query_timeout: answerMs,
  };
  const { rows } = await client.query<{ name: string }>(query);
  return rows.map(({ name }) => name);
}
