// Parameters of a statement by name. The placeholders with their casts, the alias list of a set and the order of the
// values come from one object, so that no two lists have to agree by position. Call these functions when the module
// loads, never for each query: the text of a prepared statement must not change.

/** JavaScript type of a value by SQL type. Amounts and whole numbers beyond 2^53 are decimal text. */
type Taken = {
  readonly text: string;
  readonly uuid: string;
  readonly 'text[]': readonly string[];
  readonly boolean: boolean;
  readonly integer: number;
  readonly 'integer[]': readonly number[];
  readonly bigint: string | number;
  readonly numeric: string;
  readonly bytea: Uint8Array;
  readonly 'bytea[]': readonly Uint8Array[];
  readonly jsonb: string;
  readonly timestamptz: string;
};
type SqlType = keyof Taken;
type Types = Readonly<Record<string, SqlType>>;

/** One value for each name, of the JavaScript type of its SQL type. */
type ValuesOf<Named extends Types> = { readonly [Name in keyof Named]: Taken[Named[Name]] | null };

export type NamedParameters<Named extends Types> = {
  /** For the text: the placeholder of each name with its cast, as `$3::text`. */
  readonly at: { readonly [Name in keyof Named]: string };
  /** For the driver, in the order of the placeholders, whatever the order of `given`. */
  readonly values: (given: ValuesOf<Named>) => unknown[];
  /** The first position behind these. */
  readonly next: number;
};

/** Parameters of single values. `first` is the position of the first one. */
export function namedParameters<const Named extends Types>(types: Named, first = 1): NamedParameters<Named> {
  const names: readonly (keyof Named & string)[] = Object.keys(types);
  const places = names.map((name, index) => [name, `$${first + index}::${types[name]}`]);
  return {
    at: Object.fromEntries(places) as NamedParameters<Named>['at'],
    values: (given) => names.map((name) => given[name]),
    next: first + names.length,
  };
}

type ArrayType = Exclude<SqlType, `${string}[]`>;

/** The type of a column, and its value in a row. */
type Column<Row> = { readonly [Type in ArrayType]: readonly [Type, (row: Row) => Taken[Type] | null] }[ArrayType];

/** Columns by name, in their order. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

export type ColumnArrays<Row> = {
  /** For the text, after `from`: `unnest($2::text[], …) as asked (account_id, …)`. */
  readonly unnest: (alias: string) => string;
  /** The same with the column `place`, which counts rows from one. */
  readonly unnestWithPlace: (alias: string) => string;
  /** A whole statement that writes the rows as they are. */
  readonly insertInto: (table: string) => string;
  /** For the driver: one array for each column, as PostgreSQL writes it. */
  readonly values: (rows: readonly Row[]) => string[];
  /** The first position behind these. */
  readonly next: number;
};

/** Parameters of a set of rows: one array for each column. `first` is the position of the first one. */
export function columnArrays<Row>(columns: Columns<Row>, first = 1): ColumnArrays<Row> {
  const names = Object.keys(columns);
  const each = Object.values(columns);
  const arrays = each.map(([type], index) => `$${first + index}::${type}[]`).join(', ');
  return {
    unnest: (alias) => `unnest(${arrays}) as ${alias} (${names.join(', ')})`,
    unnestWithPlace: (alias) => `unnest(${arrays}) with ordinality as ${alias} (${names.join(', ')}, place)`,
    insertInto: (table) => `insert into ${table} (${names.join(', ')}) select * from unnest(${arrays})`,
    values: (rows) => each.map(([type, valueOf]) => arrayText(rows.map((row) => elementText(type, valueOf(row))))),
    next: first + names.length,
  };
}

const arrayText = (elements: readonly string[]) => `{${elements.join(',')}}`;

/** The driver searches every element, numbers too, for what to escape: that costs twice as much. */
function elementText(type: ArrayType, value: Taken[ArrayType] | null | undefined): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Uint8Array)
    return `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
  return BARE.has(type) ? String(value) : `"${escaped(String(value))}"`;
}

/** Types whose texts have nothing to quote. */
const BARE: ReadonlySet<ArrayType> = new Set(['boolean', 'integer', 'bigint', 'numeric']);

function escaped(text: string): string {
  const safe = text.includes('\\') ? text.replaceAll('\\', '\\\\') : text;
  return safe.includes('"') ? safe.replaceAll('"', '\\"') : safe;
}
