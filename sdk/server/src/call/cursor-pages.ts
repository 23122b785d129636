// Lists whose pages name the next page by a cursor. A page may be short, or empty, although there is more.
import type { CallFailure } from './call-failure.ts';
import type { CallOptions, Connection } from './connection.ts';
import { withQuery } from './path.ts';
import { withFields } from './read-answer.ts';
import { orThrow } from './svc-pay-error.ts';

export type CursorPage<Item> = {
  readonly ok: true;
  /** Newest first. */
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  /** For `after`, with the same filters: older items. Null at the end. */
  readonly nextCursor: string | null;
  /** For `before`, with the same filters: newer items, also those that are added later. */
  readonly previousCursor: string | null;
  /** With a metadata filter: every intent from this time on is found by the key. */
  readonly metadataSince?: string;
};

export type CursorQuery = {
  /** 1 to 100; 25 when left out. */
  readonly limit?: number;
  readonly after?: string;
  readonly before?: string;
  /** From here on. ISO 8601, or a date. */
  readonly createdAfter?: string | Date;
  /** Before here. */
  readonly createdBefore?: string | Date;
  /** A key that the operator declared for the account, and its value. */
  readonly metadata?: { readonly key: string; readonly value: string };
};

type ListPage<Item, Query> = (query: Query, options?: CallOptions) => Promise<CursorPage<Item> | CallFailure>;

const MOST = 100;

/** A list at `path`. */
export function listAt<Item, Query extends CursorQuery>(
  { call }: Pick<Connection, 'call'>,
  path: string,
): ListPage<Item, Query> {
  const read = withFields<Omit<CursorPage<Item>, 'ok'>>({
    data: 'list',
    hasMore: 'flag',
    nextCursor: 'text or null',
    previousCursor: 'text or null',
  });
  return async ({ metadata, ...query }, options) => {
    const asked = { ...query, ...(metadata !== undefined && { metadata: `${metadata.key}:${metadata.value}` }) };
    const answer = await call({ method: 'GET', path: withQuery(path, asked), read }, options);
    return answer.ok ? { ok: true, ...answer.value } : answer;
  };
}

/** Every item, newest first, asking for pages as the loop goes on. Throws a `SvcPayError` when a page can't be had. */
export async function* everyListed<Item, Query extends CursorQuery>(
  list: ListPage<Item, Query>,
  query: Query,
  options?: CallOptions,
): AsyncGenerator<Item, void, undefined> {
  let after = query.after;
  for (;;) {
    const here = after === undefined ? {} : { after };
    const { data, nextCursor } = orThrow(await list({ limit: MOST, ...query, ...here }, options));
    yield* data;
    if (nextCursor === null) return;
    after = nextCursor;
  }
}
