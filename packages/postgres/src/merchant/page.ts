export type Page<Item> = { readonly data: readonly Item[]; readonly hasMore: boolean };

/** From one row more than fits. */
export function pageOf<Row, Item>(rows: readonly Row[], limit: number, itemOf: (row: Row) => Item): Page<Item> {
  return { data: rows.slice(0, limit).map(itemOf), hasMore: rows.length > limit };
}
