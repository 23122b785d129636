// Builds the text of an insert. Column list and values come from one object.

/** SQL expression by column. A plain name refers to a column of the rows that the insert reads. */
export type Expressions = Readonly<Record<string, string>>;

/** `insert into table (columns) select values from`. Without `from` it writes one row. */
export function insertText(table: string, columns: Expressions, from = ''): string {
  return `insert into ${table} (${Object.keys(columns).join(', ')})
      select ${Object.values(columns).join(', ')} ${from}`;
}

/** Columns that have the same name in the rows that the insert reads. */
export function sameNames<const Name extends string>(...names: readonly Name[]): { readonly [Each in Name]: Each } {
  return Object.fromEntries(names.map((name) => [name, name])) as { readonly [Each in Name]: Each };
}
