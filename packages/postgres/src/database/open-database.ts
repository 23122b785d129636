// The connection pool of one process.
import { callbackify } from 'node:util';
import pg from 'pg';
import { shareServiceLock } from './service-lock.ts';

export type DatabaseOptions = {
  /** Shown in the server's activity view. */
  readonly applicationName: string;
  readonly maxConnections: number;
  /** The server cancels a statement that runs longer. */
  readonly statementTimeoutMs: number;
  /**
   * The server ends a transaction that is idle for longer and releases its locks: its process hangs, or its machine is
   * gone. Without it a transaction may stay idle.
   */
  readonly transactionPauseMs?: number;
  /** For a process whose statements name keys, one or many: no sequential scans, whatever the planner estimates. */
  readonly byKeys?: boolean;
  /** For a process that reads the head of long queues: see `IN_ORDER`. */
  readonly readInOrder?: boolean;
  /** For a service that works on payments: it gets no connection while a restore runs, and none begins beside it. */
  readonly isService?: boolean;
  /** Called when an idle connection breaks; the pool replaces it. */
  readonly onConnectionLost: (problem: Error) => void;
};

export type Database = {
  readonly pool: pg.Pool;
  readonly url: string;
  /** Throws when the database can't answer. */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Statements that name their rows by keys, one or many, have one good plan. To plan one for each execution costs more than
 * to execute it: settlement's statements over partitioned tables took 1.5 to 8 ms each, 0.2 of a core at 50 payments a
 * second (`npm run chaos -- enemy`).
 */
const GENERIC_PLANS = '-c plan_cache_mode=force_generic_plan';
/**
 * Builds of PostgreSQL with LLVM compile a statement that the planner estimates as dear, for tens of milliseconds and once for
 * each execution. Our statements read few rows by their keys: there is nothing to win.
 */
const NO_JIT = '-c jit=off';
/**
 * A connection keeps its plans until the tables are analyzed, also those it made while the tables were empty. A connection
 * that is replaced makes them again.
 */
const CONNECTION_LIFE_SECONDS = 600;
/** For plans made while tables are empty: the planner prefers a sequential scan of a table that was never analyzed. */
const BY_INDEX = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

/** Reads the head of a queue by its index: a planner that estimates the queue as short would sort all of it. */
const IN_ORDER = '-c enable_sort=off -c enable_bitmapscan=off';

export function openDatabase(url: string, options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.maxConnections,
    application_name: options.applicationName,
    statement_timeout: options.statementTimeoutMs,
    ...(options.transactionPauseMs !== undefined && {
      idle_in_transaction_session_timeout: options.transactionPauseMs,
    }),
    ...(options.isService === true && {
      verify: (client: pg.PoolClient, done: (problem?: Error) => void) =>
        callbackify(shareServiceLock)(client, (problem) => done(problem ?? undefined)),
    }),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 20_000,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: CONNECTION_LIFE_SECONDS,
    options: [
      GENERIC_PLANS,
      NO_JIT,
      ...(options.byKeys === true ? [BY_INDEX] : []),
      ...(options.readInOrder === true ? [IN_ORDER] : []),
    ].join(' '),
  });
  // Without an error listener, a connection that breaks within a
  // transaction would end the process. With it, the next statement fails.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (problem) => {
    // The driver attaches the whole connection, with the key that cancels its statements. That must not reach a log.
    Reflect.deleteProperty(problem, 'client');
    options.onConnectionLost(problem);
  });
  return {
    pool,
    url,
    ping: async () => {
      await pool.query('select 1');
    },
    close: () => pool.end(),
  };
}

/** Connections of the pool, and how many callers wait for one. */
export function countConnections({
  pool,
}: Pick<Database, 'pool'>): Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'> {
  const { totalCount, idleCount, waitingCount } = pool;
  return { totalCount, idleCount, waitingCount };
}
