// SQL that keeps the planner on the path by key. Each function is one rule of docs/internals/planner-rules.md, which
// names the cause of each rule and where it was measured.

/** The text column for a comparison that must not choose the index: the row is found by its key, then compared. */
export function withoutIndex(column: string): string {
  return `${column} || ''`;
}

/** `column = value`, read in the order of the key that ends with `column`. Needs `order by` that key, and a limit. */
export function equalInKeyOrder(column: string, value: string): string {
  return `${column} >= ${value} and ${column} <= ${value}`;
}

/**
 * `column = value` by the index, in every partition: run-time pruning does not know a list. `list` is a column of the materialized
 * set that names the rows, with the value alone. For statements that lock rows. Bounds that are parameters still prune, once.
 */
export function equalWithoutPruning(column: string, list: string): string {
  return `${column} = any (${list})`;
}

/** A value for the select list of a set, so that a row is found by its key and then compared with `name`. */
export function expectedColumn(value: string, name: string): string {
  return `${value} as ${name}`;
}

/** At the end of a lateral query that names one row by its key: the row is looked up once for each outer row. */
export const ONE_BY_KEY = 'limit 1';

/**
 * At the end of a lateral query of several rows: it runs once for each outer row and is not merged into outer joins.
 */
export const NOT_MERGED = 'offset 0';

/**
 * Whether `value` is in a set of the same statement, by a hash of the set. A join of two such sets compares each row with each
 * where hash joins are off.
 */
export function isInSet(value: string, set: string): string {
  return `(${value} in (${set})) is true`;
}

/** The bigint that a set of the same statement has for a text, looked up as `isInSet` does. Null where it has none. */
export function bigintOf(
  key: string,
  set: { readonly key: string; readonly value: string; readonly from: string },
): string {
  return `((select jsonb_object_agg(${set.key}, ${set.value}) from ${set.from}) ->> ${key})::bigint`;
}
