// What all lists of a caller share: which partitions can have rows, and how dear a row is.
import { type Caller, type DaySpan, type PageWalk, type WalkedPage, walkPages } from '@svc-pay/core';
import { type IdKind, isId, timeOfId } from '@svc-pay/protocol/ids';
import type { ListOrder } from './list-statement.ts';

/** A position in a list, and where to go from it. */
export type ListPage = {
  readonly limit: number;
  readonly order: ListOrder;
  readonly position: string | undefined;
  readonly createdAfterMs: number | undefined;
  readonly createdBeforeMs: number | undefined;
};

/** Clocks of API processes may differ. */
const AHEAD_MS = 86_400_000;
/** Payments and intents are kept for 120 months. */
const KEPT_MS = 121 * 31 * 86_400_000;

/**
 * Blocks that a row costs at most. Rows of a filter may lie each in a block of its own, and what belongs to a row is looked up
 * in an index of up to four levels; rows of a list without a filter lie side by side in the index.
 */
export const ROW_BLOCKS = { sideBySide: 3, apart: 2, apartWithOne: 6, apartWithTwo: 11 };

type Listing = {
  readonly kind: IdKind;
  readonly page: ListPage;
  readonly rowBlocks: number;
  readonly days: DaySpan | undefined;
};

export function walkList<Row extends { readonly id: string }>(
  { accountId }: Caller,
  nowMs: number,
  { kind, page, rowBlocks, days }: Listing,
  read: Parameters<typeof walkPages<Row>>[1],
): Promise<WalkedPage<Row>> {
  const { limit, order, position, createdAfterMs, createdBeforeMs } = page;
  // Nothing of an account is older than the account; a day is left to clocks that differ.
  const bornMs = isId('account', accountId) ? timeOfId(accountId) - AHEAD_MS : 0;
  const walk: PageWalk = {
    kind,
    order,
    position,
    limit,
    rowBlocks,
    days,
    earliestMs: Math.max(createdAfterMs ?? 0, bornMs, nowMs - KEPT_MS),
    latestMs: Math.min(createdBeforeMs ?? Number.POSITIVE_INFINITY, nowMs + AHEAD_MS),
  };
  return walkPages(walk, read);
}
