export type Page<Item> = { readonly data: readonly Item[]; readonly hasMore: boolean };

/** `rows` were read with a limit of one more than `limit`: an extra row means that there is another page. */
export function pageOf<Row, Item>(rows: readonly Row[], limit: number, itemOf: (row: Row) => Item): Page<Item> {
  return { data: rows.slice(0, limit).map(itemOf), hasMore: rows.length > limit };
}
