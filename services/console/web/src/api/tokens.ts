import type { AcceptedToken, TokenList } from '@svc-pay/protocol';
import { useQuery } from '@tanstack/react-query';
import { keyOf, type PageScope, relay } from './scope.ts';

const STALE_MS = 300_000;

/** Tokens that the account takes in this mode. */
export function useTokens(scope: PageScope): readonly AcceptedToken[] {
  const { data } = useQuery({
    queryKey: keyOf(scope, 'tokens'),
    queryFn: ({ signal }) => relay<TokenList>(scope, '/sdk/public/tokens', { signal }),
    staleTime: STALE_MS,
  });
  return data?.data ?? [];
}
