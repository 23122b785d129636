// The connection pool of one process.
import pg from 'pg';

export type DatabaseOptions = {
  /** Shown in the server's activity view. */
  readonly applicationName: string;
  readonly maxConnections: number;
  /** A statement that runs longer is a fault, not something to wait for. */
  readonly statementTimeoutMs: number;
  /**
   * For processes that work by key and by queue alone: every table is reached by its index, also one that was never
   * analysed, where a planner without figures would rather read all of it.
   */
  readonly byIndexOnly?: boolean;
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

const BY_INDEX_ONLY = ' -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

export function openDatabase(url: string, options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.maxConnections,
    application_name: options.applicationName,
    statement_timeout: options.statementTimeoutMs,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    // Every statement of ours names its keys: planning it anew for each value costs a fifth and changes nothing.
    options: `-c plan_cache_mode=force_generic_plan${options.byIndexOnly === true ? BY_INDEX_ONLY : ''}`,
  });
  pool.on('error', options.onConnectionLost);
  return {
    pool,
    url,
    ping: async () => {
      await pool.query('select 1');
    },
    close: () => pool.end(),
  };
}
