// The connection pool of one process.
import pg from 'pg';

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
  /** For a process whose statements take sets of rows: see `SETS`. */
  readonly workBySets?: boolean;
  /** For a process whose statements name keys, one or many: no sequential scans, whatever the planner estimates. */
  readonly byKeys?: boolean;
  /** For a process that reads the head of long queues: see `IN_ORDER`. */
  readonly readInOrder?: boolean;
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
 * Statements that name one key have one good plan. Planning
 * them again for each value costs a fifth and changes nothing.
 */
const SINGLE_KEYS = '-c plan_cache_mode=force_generic_plan';
/**
 * Statements over sets are planned for each execution, with the table sizes of that moment: a generic plan made while a
 * table was empty reads the whole table for every row of the set, as long as the connection lives. `BY_INDEX` is set as
 * well, because the planner prefers a sequential scan of a table that was never analyzed.
 */
const SETS = '-c plan_cache_mode=force_custom_plan';
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
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    options: [
      options.workBySets === true ? SETS : SINGLE_KEYS,
      ...(options.workBySets === true || options.byKeys === true ? [BY_INDEX] : []),
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
