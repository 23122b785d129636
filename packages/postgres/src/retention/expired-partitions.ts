// Months that are no longer kept. The functions of the database touch no other table, so settlement needs no right on
// the tables themselves.
import type pg from 'pg';
import type { ArchiveColumn } from './archive-files.ts';

export type ExpiredPartition = {
  readonly tableName: string;
  readonly partition: string;
  /** Null as long as it is attached; then which retirement of the month this is. */
  readonly number: number | null;
};

const PAGE = 500;

export async function listExpiredPartitions(client: pg.ClientBase): Promise<readonly ExpiredPartition[]> {
  const { rows } = await client.query<ExpiredPartition>(
    `select table_name as "tableName", partition_name as partition, number from svc.list_expired_partitions()`,
  );
  return rows;
}

export async function inspectExpiredPartition(
  client: pg.ClientBase,
  partition: string,
): Promise<{ readonly hasRows: boolean; readonly hasUnfinished: boolean }> {
  const { rows } = await client.query<{ hasRows: boolean; hasUnfinished: boolean }>(
    `select has_rows as "hasRows", has_unfinished as "hasUnfinished" from svc.inspect_expired_partition($1)`,
    [partition],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`${partition} could not be inspected`);
  return row;
}

export async function readColumns(client: pg.ClientBase, partition: string): Promise<readonly ArchiveColumn[]> {
  const { rows } = await client.query<ArchiveColumn>(
    'select column_name as name, column_type as type from svc.retired_partition_columns($1)',
    [partition],
  );
  return rows;
}

/**
 * Rows of a detached month as lines of JSON, in the order of the key. Page after page rather than by a cursor: between
 * pages no snapshot is open, so that dead rows of busy tables can be removed while a large month is read.
 */
export async function* readRows(
  client: pg.ClientBase,
  partition: string,
  stop: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  let after: string | null = null;
  for (;;) {
    stop.throwIfAborted();
    const { rows }: pg.QueryResult<{ line: string }> = await client.query(
      'select line from svc.read_retired_partition($1, $2, $3) as line',
      [partition, after, PAGE],
    );
    for (const { line } of rows) yield line;
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.line ?? null;
  }
}
