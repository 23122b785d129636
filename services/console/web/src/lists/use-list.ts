// A list that is read in pages of a hundred, each once. Newer items are looked for apart, so that no page is read twice.
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { queryText } from '../api/call.ts';
import { keyOf, type PageScope, relay } from '../api/scope.ts';

const PAGE = '100';
const LOOK_EVERY_MS = 15_000;

type CursorPage<Item> = {
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
  readonly previousCursor: string | null;
};

export type LoadedList<Item> = {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly hasNewer: boolean;
  readonly loadMore: () => void;
  readonly reload: () => void;
};

/** Outside of the hook, so that it runs once for each page and not at each render. */
const joined = <Item>({ pages }: { readonly pages: readonly CursorPage<Item>[] }) => ({
  items: pages.flatMap((page) => page.data),
  newest: pages[0]?.previousCursor ?? null,
});

type Filters = Readonly<Record<string, string>>;

export function useList<Item>(scope: PageScope, path: string, filters: Filters): LoadedList<Item> {
  const key = keyOf(scope, 'list', path, filters);
  const queries = useQueryClient();
  const { data, error, hasNextPage, isFetching, isPending, fetchNextPage } = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      relay<CursorPage<Item>>(scope, `${path}${queryText({ ...filters, limit: PAGE, after: pageParam })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.hasMore ? (last.nextCursor ?? undefined) : undefined),
    // Comparing ten thousand rows with themselves at each page would stop the scrolling.
    structuralSharing: false,
    select: joined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const newest = data?.newest ?? null;
  const { data: newer } = useQuery({
    queryKey: keyOf(scope, 'newer', path, filters, newest),
    queryFn: ({ signal }) =>
      relay<CursorPage<Item>>(scope, `${path}${queryText({ ...filters, limit: '1', before: newest ?? undefined })}`, {
        signal,
      }),
    enabled: newest !== null,
    // Not at once: the list was read a moment ago.
    initialData: { data: [], hasMore: false, nextCursor: null, previousCursor: null },
    staleTime: LOOK_EVERY_MS,
    refetchInterval: LOOK_EVERY_MS,
    refetchIntervalInBackground: false,
  });
  return {
    items: data?.items ?? [],
    hasMore: hasNextPage,
    isLoading: isPending || (isFetching && data === undefined),
    error,
    hasNewer: newer.data.length > 0,
    loadMore: () => {
      if (hasNextPage && !isFetching && error === null) void fetchNextPage({ cancelRefetch: false });
    },
    reload: () => void queries.resetQueries({ queryKey: key, exact: true }),
  };
}
