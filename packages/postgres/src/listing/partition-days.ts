// Since when a table has partitions of days instead of months. Lists count what a page costs by partitions; an answer that is a
// minute old changes what a page costs, never what it shows.
import type { DaySpan } from '@svc-pay/core';
import type pg from 'pg';

export type ListedTable = 'payments' | 'intents' | 'intent_metadata' | 'attempts';
type Known = { readonly readAtMs: number; readonly days: DaySpan | undefined };
type Row = { readonly from: string | null; readonly to: string | null };

const KNOWN_MS = 60_000;
const READ = {
  name: 'list-partition-days',
  text: `select (extract(epoch from first_day) * 1000)::bigint as "from", (extract(epoch from end_day) * 1000)::bigint as "to"
    from svc.partitioned_days($1)`,
};
const KNOWN = new WeakMap<pg.Pool, Map<ListedTable, Known>>();

export async function partitionDays(pool: pg.Pool, table: ListedTable, nowMs: number): Promise<DaySpan | undefined> {
  const tables = KNOWN.get(pool) ?? new Map<ListedTable, Known>();
  KNOWN.set(pool, tables);
  const known = tables.get(table);
  if (known !== undefined && nowMs - known.readAtMs < KNOWN_MS) return known.days;
  const { rows } = await pool.query<Row>({ ...READ, values: [table] });
  const { from = null, to = null } = rows[0] ?? {};
  const days = from === null || to === null ? undefined : { fromMs: Number(from), toMs: Number(to) };
  tables.set(table, { readAtMs: nowMs, days });
  return days;
}
