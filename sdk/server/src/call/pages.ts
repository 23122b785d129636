// Lists come in pages, newest first. The cursor is the last item of a page and stays where it is while items are added.
import type { CallFailure } from './call-failure.ts';
import type { CallOptions } from './connection.ts';
import { orThrow } from './svc-pay-error.ts';

export type Page<Item> = {
  readonly ok: true;
  readonly data: readonly Item[];
  /** Ask again with the last item's id as `startingAfter`. */
  readonly hasMore: boolean;
};

export type PageQuery = {
  /** 1 to 100; 25 when left out. */
  readonly limit?: number;
  /** An id: what follows it in the list. */
  readonly startingAfter?: string;
};

export type PageBody<Item> = Omit<Page<Item>, 'ok'>;
export const PAGE_FIELDS = { data: 'list', hasMore: 'flag' } as const;

type ListPage<Item, Query> = (query: Query & PageQuery, options?: CallOptions) => Promise<Page<Item> | CallFailure>;

const MOST = 100;

/** Every item, page after page as they are asked for. Throws a `SvcPayError` when a page can't be had. */
export async function* everyItem<Item, Query extends PageQuery>(
  list: ListPage<Item, Query>,
  cursorOf: (item: Item) => string,
  query: Query,
  options?: CallOptions,
): AsyncGenerator<Item, void, undefined> {
  let startingAfter = query.startingAfter;
  for (;;) {
    const here = startingAfter === undefined ? {} : { startingAfter };
    const { data, hasMore } = orThrow(await list({ limit: MOST, ...query, ...here }, options));
    yield* data;
    const last = data.at(-1);
    if (!hasMore || last === undefined) return;
    startingAfter = cursorOf(last);
  }
}
