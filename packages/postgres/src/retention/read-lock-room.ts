import type pg from 'pg';

/** Every statement locks all partitions of its tables, and days are many. */
export type LockRoom = {
  /** Tables that have partitions of days, or will have. */
  readonly dayTables: readonly string[];
  /** `max_locks_per_transaction` of the server. */
  readonly locks: number;
};

export async function readLockRoom(pool: pg.Pool): Promise<LockRoom> {
  const { rows } = await pool.query<LockRoom>(
    `select array(
       select table_name::text from svc.partitioned_tables where partition_by = 'day' or first_day is not null order by 1
     ) as "dayTables", current_setting('max_locks_per_transaction')::integer as locks`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a select without a table returned nothing');
  return row;
}
