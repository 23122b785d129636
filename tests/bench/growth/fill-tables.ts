// Payments by the hundred thousand, as copies of one that really went through: every row that it left in every table, under
// new ids that belong together. Old ones: their authorizations are closed.
import type pg from 'pg';

type Source = { readonly table: string; readonly by: 'intent' | 'payment' | 'event' };

const SOURCES: readonly Source[] = [
  { table: 'intents', by: 'intent' },
  { table: 'intent_codes', by: 'intent' },
  { table: 'acceptances', by: 'intent' },
  { table: 'claims', by: 'intent' },
  { table: 'authorizations', by: 'intent' },
  { table: 'settlements', by: 'payment' },
  { table: 'payments', by: 'payment' },
  { table: 'ledger_bookings', by: 'payment' },
  { table: 'events', by: 'intent' },
  { table: 'deliveries', by: 'event' },
];
/** Columns that hold ids of one's own or of others. The same id becomes the same new one, wherever it stands. */
const IDS = new Set(['id', 'intent_id', 'payment_id', 'event_id']);
const PAYMENTS_A_BATCH = 'n / 100';
const CODES_FROM = 5_000_000_000_000_000;
const AT_ONCE = 50_000;
const TABLES_AT_ONCE = 3;

export type Model = { readonly intentId: string; readonly paymentId: string };

/** A payment that is completed and delivered. */
export async function chooseModel(pool: pg.Pool): Promise<Model> {
  const { rows } = await pool.query<{ intent_id: string; id: string }>(
    "select intent_id, id from svc.payments where status = 'completed' limit 1",
  );
  const [row] = rows;
  if (row === undefined) throw new Error('no payment to copy');
  return { intentId: row.intent_id, paymentId: row.id };
}

/** Copies with the numbers from `first` up to `last`. */
export async function fillTables(
  pool: pg.Pool,
  model: Model,
  first: number,
  last: number,
  onDone: (rows: number) => void,
  tables: readonly string[] = SOURCES.map(({ table }) => table),
): Promise<void> {
  const works: { readonly source: Source; readonly from: number; readonly to: number }[] = [];
  for (let from = first; from <= last; from += AT_ONCE) {
    for (const source of SOURCES.filter(({ table }) => tables.includes(table)))
      works.push({ source, from, to: Math.min(last, from + AT_ONCE - 1) });
  }
  const worker = async () => {
    const client = await pool.connect();
    try {
      await client.query('set session_replication_role = replica');
      await client.query('set synchronous_commit = off');
      for (let work = works.shift(); work !== undefined; work = works.shift()) {
        onDone(await copy(client, work.source, model, work.from, work.to));
      }
    } finally {
      await client.query('reset all');
      client.release();
    }
  };
  await Promise.all(Array.from({ length: TABLES_AT_ONCE }, worker));
}

async function copy(client: pg.PoolClient, { table, by }: Source, model: Model, from: number, to: number) {
  const { rows } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'svc' and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  const own = table === 'intents' || (table === 'payments' && by === 'payment');
  const key = by === 'event' ? 'event_id' : own ? 'id' : `${by}_id`;
  const which =
    by === 'event' ? 'in (select id from svc.events where intent_id = $1)' : `= ${by === 'intent' ? '$1' : '$1::text'}`;
  const value = by === 'payment' ? model.paymentId : model.intentId;
  const { rowCount } = await client.query(
    `insert into svc.${table} (${columns.join(', ')})
     select ${columns.map((column) => (table === 'ledger_bookings' && column === 'id' ? FIRST_ENTRY : copied(column))).join(', ')}
     from svc.${table} model cross join generate_series(${from}, ${to}) n
     where model.${key} ${which}`,
    [value],
  );
  return rowCount ?? 0;
}

const renamedText = (text: string, salt: string) =>
  `left(${text}, length(${text}) - 16) || left(md5(${text} || (${salt})::text), 16)`;
/** Sorted, as a booking has them: its own id is that of the first. */
const ENTRY_IDS = `array(select ${renamedText('entry_id', 'n')} as renamed from unnest(model.entry_ids) as entry_id order by 1)`;
const FIRST_ENTRY = `(${ENTRY_IDS})[1]`;

function copied(column: string): string {
  const renamed = (salt: string) => renamedText(`model.${column}`, salt);
  if (column === 'entry_ids') return ENTRY_IDS;
  if (IDS.has(column)) return renamed('n');
  if (column === 'batch_id') return renamed(PAYMENTS_A_BATCH);
  if (column === 'intent_code') return `${CODES_FROM} + n`;
  if (column === 'number' || column === 'settlement_number') return `model.${column} + 1000000000 + n`;
  if (column === 'claim_key' || column === 'nonce') return `sha256(model.${column} || n::text::bytea)`;
  if (column === 'closed_at') return 'now()';
  return `model.${column}`;
}
