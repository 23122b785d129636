import type { Delivery, Endpoint, EventDetail, EventSummary } from '@svc-pay/protocol/merchant';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { queryText } from './call.ts';
import { keyOf, type PageScope, relay } from './scope.ts';

const PAGE = '100';
/** Counted up to this many. */
export const MOST_COUNTED = 100;
/** While something is on its way, the page looks at it again. */
const FOLLOW_MS = 2_000;
const REST_MS = 5_000;

export const useEndpoints = (scope: PageScope) =>
  useQuery({
    queryKey: keyOf(scope, 'endpoints'),
    queryFn: ({ signal }) =>
      relay<{ readonly data: readonly Endpoint[] }>(scope, `/sdk/webhooks/endpoints?limit=${PAGE}`, { signal }),
    select: ({ data }) => data,
  });

export const useEndpoint = (scope: PageScope, endpointId: string) =>
  useQuery({
    queryKey: keyOf(scope, 'endpoint', endpointId),
    queryFn: ({ signal }) =>
      relay<{ readonly endpoint: Endpoint }>(scope, `/sdk/webhooks/endpoints/${encodeURIComponent(endpointId)}`, {
        signal,
      }),
    select: ({ endpoint }) => endpoint,
    refetchInterval: REST_MS,
  });

type Listed<Item> = { readonly data: readonly Item[]; readonly hasMore: boolean };

/** Lists whose next page begins after their last item's id. */
function useListed<Item>(
  scope: PageScope,
  name: string,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  idOf: (item: Item) => string,
  isMoving: (item: Item) => boolean = () => false,
) {
  return useInfiniteQuery({
    queryKey: keyOf(scope, name, path, query),
    queryFn: ({ pageParam, signal }) =>
      relay<Listed<Item>>(scope, `${path}${queryText({ ...query, limit: PAGE, startingAfter: pageParam })}`, {
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ data, hasMore }) => {
      const last = data.at(-1);
      return hasMore && last !== undefined ? idOf(last) : undefined;
    },
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    refetchOnWindowFocus: false,
    // Only a first page is read again by itself: more would be asked for at each look than is seen.
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length !== 1 ? false : data.pages[0]?.data.some(isMoving) ? FOLLOW_MS : REST_MS,
  });
}

export const useDeliveries = (scope: PageScope, endpointId: string, status: string | undefined) =>
  useListed<Delivery>(
    scope,
    'deliveries',
    `/sdk/webhooks/endpoints/${encodeURIComponent(endpointId)}/deliveries`,
    { status },
    ({ eventId }) => eventId,
    ({ status: now }) => now === 'pending',
  );

/** Newest events first. */
export const useNewestDeliveries = (scope: PageScope, endpointId: string, status: Delivery['status'], limit: number) =>
  useQuery({
    queryKey: keyOf(scope, 'deliveries', endpointId, 'newest', status),
    queryFn: ({ signal }) =>
      relay<Listed<Delivery>>(
        scope,
        `/sdk/webhooks/endpoints/${encodeURIComponent(endpointId)}/deliveries${queryText({ status, limit: String(limit) })}`,
        { signal },
      ),
    select: ({ data }) => data,
    refetchInterval: REST_MS,
  });

export type EventSearch = { readonly type?: string; readonly undelivered?: 'true'; readonly intentId?: string };

export const useEvents = (scope: PageScope, { type, undelivered, intentId }: EventSearch) =>
  useListed<EventSummary>(scope, 'events', '/sdk/events', { type, undelivered, intentId }, ({ id }) => id);

export const useEvent = (scope: PageScope, eventId: string) =>
  useQuery({
    queryKey: keyOf(scope, 'event', eventId),
    queryFn: ({ signal }) => relay<EventDetail>(scope, `/sdk/events/${encodeURIComponent(eventId)}`, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.deliveries.some(({ status }) => status === 'pending') ? FOLLOW_MS : false,
  });
