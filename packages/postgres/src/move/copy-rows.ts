// Copies the rows of an account from a snapshot of one database into a transaction of another, and compares both. A row travels as
// the JSON that PostgreSQL writes and reads: numbers, bytes and times arrive as they were.
import type pg from 'pg';
import { MOVED_TABLES, type MovedTable } from './moved-tables.ts';

const PAGE = 1_000;

export type TableDigest = {
  readonly table: string;
  readonly rows: number;
  /** Sums over the hashes of the rows: equal when the same rows are there, in whatever order. */
  readonly digest: string;
};

/** Columns of every table, in their order. */
export type TableColumns = ReadonlyMap<string, readonly string[]>;

export async function loadColumns(client: pg.ClientBase): Promise<TableColumns> {
  const { rows } = await client.query<{ table: string; columns: readonly string[] }>(`
    select relname as table, array_agg(attname::text order by attnum) as columns
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p') and not relispartition
      and attnum > 0 and not attisdropped and attgenerated = ''
    group by relname`);
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

/** Sets how this session writes values as text, so that both databases write them alike. */
export async function speakAlike(client: pg.ClientBase): Promise<void> {
  await client.query(`set local timezone = 'UTC'; set local bytea_output = 'hex'; set local datestyle = 'ISO, YMD';
    set local extra_float_digits = 1; set local statement_timeout = 0; set local plan_cache_mode = auto;
    set local enable_seqscan = on; set local enable_hashjoin = on`);
}

/** Rows that were not written, because another account of the other cell has their key. As JSON, by table. */
export type TakenRows = ReadonlyMap<string, readonly string[]>;

export type CopiedRows = { readonly rows: number; readonly taken: TakenRows };

/** `from` reads in one snapshot, `to` writes in one transaction. */
export async function copyRows(
  from: pg.ClientBase,
  to: pg.ClientBase,
  columns: TableColumns,
  accountId: string,
): Promise<CopiedRows> {
  await to.query(`select set_config('svc.arriving', $1, true)`, [accountId]);
  let rows = 0;
  const taken = new Map<string, readonly string[]>();
  for (const moved of MOVED_TABLES) {
    const table = await copyTable(from, to, { moved, columns, accountId });
    rows += table.copied;
    if (table.taken.length > 0) taken.set(moved.table, table.taken);
  }
  return { rows, taken };
}

type OneTable = { readonly moved: MovedTable; readonly columns: TableColumns; readonly accountId: string };

async function copyTable(from: pg.ClientBase, to: pg.ClientBase, { moved, columns, accountId }: OneTable) {
  const names = columnsOf(columns, moved.table);
  const write = writeStatement(moved, names);
  const order = moved.order === undefined ? '' : ` order by t.${moved.order}`;
  await from.query(`declare moved_rows no scroll cursor for ${linesOf(moved, names)}${order}`, [accountId]);
  let copied = 0;
  const taken: string[] = [];
  for (;;) {
    const { rows } = await from.query<{ line: string }>(`fetch ${PAGE} from moved_rows`);
    if (rows.length === 0) break;
    const page = jsonOf(rows.map(({ line }) => line));
    const { rowCount } = await to.query(write, [page]);
    // Read after the insert, which has waited for whoever was taking a key.
    if (moved.key !== undefined && rowCount !== rows.length) taken.push(...(await findTaken(to, moved, page)));
    copied += rows.length;
  }
  await from.query('close moved_rows');
  return { copied, taken };
}

async function findTaken(to: pg.ClientBase, { table, key = [] }: MovedTable, page: string): Promise<readonly string[]> {
  const { rows } = await to.query<{ line: string }>(
    `select page.doc::text as line from ${givenRows(table)}
     join svc.${table} held on ${key.map((column) => `held.${column} = given.${column}`).join(' and ')}
     where held.account_id is distinct from given.account_id order by page.place`,
    [page],
  );
  return rows.map(({ line }) => line);
}

export const jsonOf = (lines: readonly string[]): string => `[${lines.join(',')}]`;

/** SQL: the rows `given` of the JSON in `$1`. */
export const givenRows = (table: string): string =>
  `json_array_elements($1::json) with ordinality as page (doc, place)
    cross join lateral json_populate_record(null::svc.${table}, page.doc) given`;

/** By table: what both sides have, as it is compared. `without` is left out: rows that stay where they are. */
export async function digestRows(
  client: pg.ClientBase,
  columns: TableColumns,
  accountId: string,
  without: TakenRows = new Map(),
): Promise<readonly TableDigest[]> {
  const digests: TableDigest[] = [];
  for (const moved of MOVED_TABLES) {
    const compared =
      moved.compared ?? columnsOf(columns, moved.table).filter((column) => !Object.hasOwn(moved.own ?? {}, column));
    const staying = without.get(moved.table);
    const { rows } = await client.query<{ rows: number; digest: string }>(
      `select count(*)::integer as rows,
         coalesce(sum(('x' || substr(hash, 1, 15))::bit(60)::bigint), 0) || '/'
           || coalesce(sum(('x' || substr(hash, 16, 15))::bit(60)::bigint), 0) as digest
       from (select md5(line) as hash from (${linesOf(staying ? leavingOut(moved) : moved, compared)}) of (line)) hashed`,
      staying ? [accountId, jsonOf(staying)] : [accountId],
    );
    digests.push({ table: moved.table, ...(rows[0] ?? { rows: 0, digest: '' }) });
  }
  return digests;
}

/** Sums of the books by mode, network, asset and ledger account. */
export async function sumBooks(client: pg.ClientBase, accountId: string): Promise<string> {
  const { rows } = await client.query<{ sums: string }>(
    `select coalesce(string_agg(line, ' ' order by line), '') as sums from (
       select concat_ws('/', mode, network, asset, account_name, sum(amount)) as line from svc.ledger_entries
       where account_id = $1 group by mode, network, asset, account_name
     ) summed`,
    [accountId],
  );
  return rows[0]?.sums ?? '';
}

const leavingOut = (moved: MovedTable): MovedTable => ({
  ...moved,
  of: `${moved.of} and not exists (
    select from json_populate_recordset(null::svc.${moved.table}, $2::json) staying
    where ${(moved.key ?? []).map((column) => `staying.${column} = t.${column}`).join(' and ')}
  )`,
});

const linesOf = ({ table, of, also }: MovedTable, columns: readonly string[]): string =>
  `select row_to_json(line)::text as line from svc.${table} t cross join lateral (
     select ${[...columns.map((column) => `t.${column}`), ...(also === undefined ? [] : [also])].join(', ')}
   ) line where ${of}`;

function writeStatement({ table, own = {}, shared, key }: MovedTable, columns: readonly string[]): string {
  const mayBeThere = shared === true || key !== undefined;
  const written = columns.filter((column) => !(Object.hasOwn(own, column) && own[column] === undefined));
  return `insert into svc.${table} (${written.join(', ')})
    select ${written.map((column) => own[column] ?? `given.${column}`).join(', ')}
    from ${givenRows(table)}
    order by page.place${mayBeThere ? ' on conflict do nothing' : ''}`;
}

function columnsOf(columns: TableColumns, table: string): readonly string[] {
  const names = columns.get(table);
  if (names === undefined) throw new Error(`there is no table ${table}`);
  return names;
}
