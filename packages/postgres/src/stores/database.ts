// The connection pool of one process.
import pg from 'pg';

export type DatabaseOptions = {
  /** Shown in the server's activity view. */
  readonly applicationName: string;
  readonly maxConnections: number;
  /** A statement that runs longer is a fault, not something to wait for. */
  readonly statementTimeoutMs: number;
  /**
   * A transaction that waits longer for its next statement is ended by the server, and its locks with it: its process hangs,
   * or its machine is gone without a word. Left out: it may wait.
   */
  readonly transactionPauseMs?: number;
  /** For a process whose statements take sets of rows, see below. */
  readonly workBySets?: boolean;
  /** For a process whose statements name keys, one or many: no table is read whole, whatever the planner takes it for. */
  readonly byKeys?: boolean;
  /** For a process that looks at the head of long queues, see below. */
  readonly readInOrder?: boolean;
  /** Told of a connection that broke while idle; the pool replaces it. */
  readonly onConnectionLost: (problem: Error) => void;
};

export type Database = {
  readonly pool: pg.Pool;
  readonly url: string;
  /** Throws when the database can't answer. */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** A statement that names one key has one good plan: planning it anew for each value costs a fifth and changes nothing. */
const SINGLE_KEYS = '-c plan_cache_mode=force_generic_plan';
/**
 * A statement over a set does not: a plan made while a table was empty reads all of it for every row of the set, for as
 * long as the connection lives. So it is planned each time, by the size that tables have then, and by index alone, as a
 * planner that was never told a table's figures would rather read it whole.
 */
const SETS = '-c plan_cache_mode=force_custom_plan';
const BY_INDEX = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

/** The head of a queue by its index: a planner that takes the queue for short would rather sort all of it. */
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
  // A connection that breaks in the middle of a transaction fails its next statement; without this it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (problem) => {
    // The driver hangs the whole connection on it, with the key that cancels its statements: nothing for a log.
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
