import type pg from 'pg';

/** A month that was dropped, with or without an archive. */
export type RetiredPartition = {
  /** The month and which retirement of it this is, as its archive is named. */
  readonly name: string;
  readonly tableName: string;
  readonly rows: number;
  /** SHA-256 of the archived lines in hex; null: dropped without an archive. */
  readonly sha256: string | null;
  readonly droppedAt: Date;
};

/** Dropped months, in the order of their names. */
export async function listRetiredPartitions(pool: pg.Pool): Promise<readonly RetiredPartition[]> {
  const { rows } = await pool.query<Omit<RetiredPartition, 'rows'> & { readonly rows: string }>(
    `select partition_name || '.' || number as name, table_name as "tableName", row_count as rows,
       encode(archive_hash, 'hex') as sha256, dropped_at as "droppedAt"
     from svc.retired_partitions where dropped_at is not null order by partition_name, number`,
  );
  return rows.map((row) => ({ ...row, rows: Number(row.rows) }));
}
