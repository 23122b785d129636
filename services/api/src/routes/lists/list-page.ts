// What the lists of payments and intents have in common: the page that is asked for, and the cursors of the answer.
import {
  type Caller,
  cursorOf,
  foundFromMs,
  isoTime,
  justAfter,
  justBefore,
  type ListedBy,
  type MetadataFilter,
  readCursor,
  readMetadataFilter,
  type WalkedPage,
} from '@svc-pay/core';
import { DEFAULT_PAGE } from '@svc-pay/protocol/merchant';
import type { ApiPorts } from '../../ports.ts';
import type { RouteOutcome } from '../outcome.ts';

type Refusal = Extract<RouteOutcome, { ok: false }>;
type Query = Readonly<Record<string, string | undefined>>;

export type AskedList = {
  readonly listed: ListedBy;
  readonly page: {
    readonly limit: number;
    readonly order: 'older' | 'newer';
    readonly position: string | undefined;
  };
  readonly createdAfterMs: number | undefined;
  readonly createdBeforeMs: number | undefined;
  readonly metadata: MetadataFilter | undefined;
  readonly metadataSince: string | undefined;
};

const refused = (code: Refusal['code'], param: string | null): Refusal => ({ ok: false, code, param });

/** Everything but the limit and what is expanded is a filter, and every cursor is bound to the filters. */
export async function readList(
  { peppers, loadMerchant }: Pick<ApiPorts, 'peppers' | 'loadMerchant'>,
  caller: Caller,
  list: ListedBy['list'],
  query: Query,
): Promise<{ readonly ok: true; readonly asked: AskedList } | Refusal> {
  const { limit, after, before, expand: _, ...filters } = query;
  if (after !== undefined && before !== undefined) return refused('malformed_request', 'before');
  const listed = { caller, list, filters };
  const cursor = after ?? before;
  const position = cursor === undefined ? undefined : readCursor(peppers, listed, cursor);
  if (cursor !== undefined && position === undefined)
    return refused('cursor_invalid', after === undefined ? 'before' : 'after');
  const { createdAfter, createdBefore } = filters;
  const createdAfterMs = createdAfter === undefined ? undefined : Date.parse(createdAfter);
  const createdBeforeMs = createdBefore === undefined ? undefined : Date.parse(createdBefore);
  if (createdAfterMs !== undefined && createdBeforeMs !== undefined && createdAfterMs >= createdBeforeMs)
    return refused('time_range_invalid', 'createdBefore');
  const metadata = filters['metadata'] === undefined ? undefined : readMetadataFilter(filters['metadata']);
  if (metadata === undefined && filters['metadata'] !== undefined) return refused('malformed_request', 'metadata');
  const { metadataKeys = [] } = metadata === undefined ? {} : await loadMerchant(caller);
  const declared = metadataKeys.find(({ key }) => key === metadata?.key);
  if (metadata !== undefined && declared === undefined) return refused('metadata_key_not_declared', 'metadata');
  return {
    ok: true,
    asked: {
      listed,
      page: {
        limit: limit === undefined ? DEFAULT_PAGE : Number.parseInt(limit, 10),
        order: before === undefined ? 'older' : 'newer',
        position,
      },
      createdAfterMs,
      createdBeforeMs,
      metadata,
      metadataSince: declared && isoTime(foundFromMs(declared)),
    },
  };
}

/** The body of a page. A page may be shorter than its limit although there is more: what it may cost is bounded. */
export function listBody<Row extends { readonly position: string }, Item>(
  pepper: Uint8Array,
  { listed, page: { order, position }, metadataSince }: AskedList,
  { rows, more }: WalkedPage<Row>,
  itemOf: (row: Row) => Item,
) {
  const cursor = (at: string | undefined) => (at === undefined ? null : cursorOf(pepper, listed, at));
  const [newest, oldest] = [rows[0]?.position, rows.at(-1)?.position];
  const isOlder = order === 'older';
  // An empty page goes back to where it was asked from, the item there included.
  const next = isOlder ? more : (oldest ?? (position === undefined ? undefined : justAfter(position)));
  const previous = isOlder
    ? (newest ?? (position === undefined ? undefined : justBefore(position)))
    : (more ?? newest ?? position);
  return {
    data: rows.map(itemOf),
    hasMore: more !== undefined,
    nextCursor: cursor(next),
    previousCursor: cursor(previous),
    ...(metadataSince !== undefined && { metadataSince }),
  };
}
