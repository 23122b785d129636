// SQL that the statements of lists share. A list reads the index of its filter, which is by a hash of account, mode and value;
// account and mode stand in no other condition that an index could serve (docs/internals/planner-rules.md, rule 11).
import { type DaySpan, partitionStart } from '@svc-pay/core';
import { type Id, type IdKind, timeOfId } from '@svc-pay/protocol/ids';
import type { ListedRows } from '../database/listed-by.ts';
import { NOT_MERGED } from '../database/planner.ts';

export type ListOrder = 'older' | 'newer';
export const LIST_ORDERS: readonly ListOrder[] = ['older', 'newer'];

/** Rows of the largest page, and one that tells whether there are more. */
const MOST_READ = 101;

export const ownRows = (at: { readonly account_id: string; readonly mode: string }): ListedRows => ({
  where: `account_id = ${at.account_id} and mode = ${at.mode}`,
  order: ['id'],
});

/**
 * One page in the order of ids. The planner knows the size of the inner limit and reads in order; the outer one is the page's,
 * and no row behind it is read.
 */
export function pageText(
  columns: string,
  from: string,
  rows: ListedRows,
  span: { readonly from_id: string; readonly to_id: string; readonly limit: string },
  order: ListOrder,
): string {
  const id = rows.order.at(-1);
  const direction = order === 'older' ? 'desc' : 'asc';
  return `
    select * from (
      select ${columns} from ${from}
      where ${rows.where} and ${id} > ${span.from_id} and ${id} < ${span.to_id}
      order by ${rows.order.map((column) => `${column} ${direction}`).join(', ')} limit ${MOST_READ}
    ) page limit ${span.limit}`;
}

/**
 * Rows by their keys, partition after partition: one that has none of them is not looked at. Several keys of a block are read at
 * once; a lookup for each of them would descend the index as often.
 */
export function byKeysText(columns: string, from: string): string {
  return `
    select found.* from unnest($3::text[], $4::text[]) as part (first_id, last_id)
    cross join lateral (
      select ${columns} from ${from}
      where account_id = $1 and mode = $2 and id = any ($5::text[])
        and id >= part.first_id and id <= part.last_id and id >= $6 and id <= $7
      ${NOT_MERGED}
    ) found`;
}

export function keyValues(
  owner: { readonly accountId: string; readonly mode: string },
  ids: readonly string[],
  days: DaySpan | undefined,
): readonly unknown[] {
  const sorted = [...new Set(ids)].toSorted((one, other) => (one < other ? -1 : 1));
  const parts = new Map<number, { readonly first: string; last: string }>();
  for (const id of sorted) {
    const part = partitionStart(timeOfId(id as Id<IdKind>), days);
    const known = parts.get(part);
    if (known === undefined) parts.set(part, { first: id, last: id });
    else known.last = id;
  }
  const spans = [...parts.values()];
  const [firsts, lasts] = [spans.map(({ first }) => first), spans.map(({ last }) => last)];
  return [owner.accountId, owner.mode, firsts, lasts, sorted, sorted[0], sorted.at(-1)];
}
