// API keys, by the admin routes.
import { useQuery } from '@tanstack/react-query';
import { call } from './call.ts';
import { keyOf, type PageScope } from './scope.ts';

export const SCOPE_WORDS = {
  read: 'See payments, events and exports',
  create: 'Create and cancel payments',
  charge: 'Submit signed payments, charge and release up-to payments',
  refund: 'Refund payments',
  webhooks: 'Manage endpoints and send events again',
} as const;
export type ScopeName = keyof typeof SCOPE_WORDS;

export type ShownKey = {
  readonly id: string;
  readonly mode: 'test' | 'live';
  readonly kind: 'secret' | 'publishable';
  readonly hint: string;
  readonly publishableText: string | null;
  readonly state: 'usable' | 'expired' | 'revoked';
  readonly signs: boolean;
  readonly scopes: readonly ScopeName[] | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly lastUsedAtMs: number | null;
};

export type PublishableRightsOf = {
  readonly mode: 'test' | 'live';
  readonly origins: readonly string[] | null;
  readonly creates: boolean;
};

/** `text` is the whole key, which is shown once. */
export type KeyText = { readonly id: string; readonly text: string };

export const useKeys = (scope: PageScope) =>
  useQuery({
    queryKey: keyOf(scope, 'keys'),
    queryFn: ({ signal }) =>
      call<{ readonly keys: readonly ShownKey[] }>(`/admin/keys?accountId=${scope.accountId}&mode=${scope.mode}`, {
        signal,
      }),
    select: ({ keys }) => keys,
  });

export type MismatchPolicyOf = {
  readonly mode: 'test' | 'live';
  readonly toleranceUsdMicros: string;
  readonly toleranceBps: number;
  readonly over: 'accept' | 'hold' | 'refund';
  readonly under: 'accept' | 'hold' | 'refund';
};
type ShownAccount = {
  readonly publishable: readonly PublishableRightsOf[];
  readonly mismatch: readonly MismatchPolicyOf[];
};

const accountQuery = (scope: PageScope) => ({
  queryKey: keyOf(scope, 'account'),
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    call<ShownAccount>(`/admin/accounts/${scope.accountId}`, { signal }),
});

export const usePublishableRights = (scope: PageScope) =>
  useQuery({
    ...accountQuery(scope),
    select: ({ publishable }) => publishable.find(({ mode }) => mode === scope.mode),
  });

export const useMismatchPolicy = (scope: PageScope) =>
  useQuery({ ...accountQuery(scope), select: ({ mismatch }) => mismatch.find(({ mode }) => mode === scope.mode) });

export const adminPost = <Answer>(path: string, body: unknown): Promise<Answer> =>
  call<Answer>(`/admin${path}`, { method: 'POST', body });
