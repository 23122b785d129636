// Payments by the hundred thousand: copies of models, with every row that a model has in every table, under ids that belong
// together, each copy a moment older than the one before. The ledger makes the bookings of each copy.
import type pg from 'pg';
import { NOW } from './sample-rows.ts';

/** By these a row of a model is known from all others. */
const TABLES: Readonly<Record<string, 'account' | 'relayer'>> = {
  batches: 'relayer',
  intents: 'account',
  intent_codes: 'account',
  claims: 'account',
  authorizations: 'account',
  settlements: 'account',
  payments: 'account',
  log_proofs: 'account',
  refunds: 'account',
  refund_totals: 'account',
  events: 'account',
  ledger_entries: 'account',
};
const IDS = new Set(['id', 'intent_id', 'payment_id', 'event_id', 'batch_id', 'refund_id', 'reverses']);
const HASHES = new Set(['claim_key', 'nonce']);
/** Far beyond the codes that intents get. */
const CODES_FROM = 5_000_000_000_000_000;
/** Codes and nonces of the models are below. */
const NUMBERS_A_COPY = 1_000;
const AT_ONCE = 250;
const WORKERS = 4;

export type CopyWish = {
  readonly accountIds: readonly string[];
  readonly relayer: string;
  readonly copies: number;
  /** Between two copies. */
  readonly secondsApart: number;
  readonly onDone?: (copies: number) => void;
};

export async function copyPayments(pool: pg.Pool, wish: CopyWish): Promise<void> {
  const firsts = Array.from({ length: Math.ceil(wish.copies / AT_ONCE) }, (_, index) => 1 + index * AT_ONCE);
  const clients = await Promise.all(Array.from({ length: WORKERS }, () => pool.connect()));
  let done = 0;
  try {
    // All of them know the models before the first copy is there.
    const statements = await Promise.all(clients.map((client) => modelsIn(client, wish)));
    const work = async (client: pg.PoolClient, index: number) => {
      for (let first = firsts.shift(); first !== undefined; first = firsts.shift()) {
        const last = Math.min(wish.copies, first + AT_ONCE - 1);
        for (const text of statements[index] ?? []) await client.query(text, [first, last, wish.secondsApart]);
        done += last - first + 1;
        wish.onDone?.(done);
      }
    };
    await Promise.all(clients.map(work));
  } finally {
    // Their temporary tables go with them.
    for (const client of clients) client.release(true);
  }
  // Entries are a view of bookings.
  const filled = Object.keys(TABLES).map((table) => (table === 'ledger_entries' ? 'ledger_bookings' : table));
  for (const table of filled) await pool.query(`analyze svc.${table}`);
}

/** Keeps the rows of the models, among which copies come, and returns a statement for each table. */
async function modelsIn(client: pg.PoolClient, { accountIds, relayer }: CopyWish): Promise<readonly string[]> {
  const statements: string[] = [];
  await client.query('set synchronous_commit = off');
  for (const [table, known] of Object.entries(TABLES)) {
    const by = known === 'account' ? 'account_id = any($1)' : 'relayer = $1';
    await client.query(`create temp table model_${table} as select * from svc.${table} where false`);
    await client.query(`insert into model_${table} select * from svc.${table} where ${by}`, [
      known === 'account' ? accountIds : relayer,
    ]);
    statements.push(await copyOf(client, table));
  }
  return statements;
}

async function copyOf(client: pg.PoolClient, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_schema = 'svc' and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'`,
    [table],
  );
  return `with moments as materialized (
      select n, n * $3::float8 * interval '1 second' as age,
        substr(svc.id_bound('', timestamptz '${NOW.toISOString()}' - n * $3::float8 * interval '1 second'), 2) as digits
      from generate_series($1::bigint, $2::bigint) n
    )
    insert into svc.${table} (${rows.map(({ name }) => name).join(', ')})
    select ${rows.map(copied).join(', ')} from moments cross join model_${table} model`;
}

function copied({ name, type }: { readonly name: string; readonly type: string }): string {
  const column = `model.${name}`;
  if (type === 'timestamp with time zone') return `${column} - age`;
  if (IDS.has(name)) return `left(${column}, strpos(${column}, '_')) || digits || left(md5(${column} || n), 16)`;
  if (name === 'transaction_id') return hashed(column);
  if (name === 'transaction_split_id')
    return `${hashed(`split_part(${column}, ':', 1)`)} || ':' || split_part(${column}, ':', 2)`;
  if (name === 'intent_code') return `${column} + ${CODES_FROM} + n * ${NUMBERS_A_COPY}`;
  if (HASHES.has(name) && type === 'bytea') return `sha256(${column} || convert_to(n::text, 'UTF8'))`;
  if (name === 'nonce' || name === 'block_number') return `${column} + n * ${NUMBERS_A_COPY}`;
  return column;
}

const hashed = (text: string) => `'0x' || md5(${text} || n) || md5(n || ${text})`;
