// Where the money of an account goes, by the admin routes.
import { useQuery } from '@tanstack/react-query';
import { call } from './call.ts';
import { keyOf, type PageScope } from './scope.ts';

export type ShownPayout = {
  readonly mode: 'test' | 'live';
  readonly network: string;
  readonly processor: string;
  readonly payoutId: string;
  readonly merchant: string;
  readonly feeBps: number;
  readonly splits: readonly { readonly to: string; readonly bps: number }[];
  readonly status: 'pending' | 'active' | 'disabled';
  /** Payments go straight to the wallet. */
  readonly direct?: {
    readonly asset: string;
    readonly use: 'exclusive' | 'shared' | 'unreadable';
    readonly activeFrom: string;
  };
};

export const usePayouts = (scope: PageScope) =>
  useQuery({
    queryKey: keyOf(scope, 'payouts'),
    queryFn: ({ signal }) =>
      call<{ readonly payouts: readonly ShownPayout[] }>(
        `/admin/payouts?accountId=${scope.accountId}&mode=${scope.mode}`,
        { signal },
      ),
    select: ({ payouts }) => payouts,
  });

/**
 * Whether it ends here. On EVM networks a payout without direct terms is in the registry of its processor, whose transaction
 * ends it.
 */
export const endsHere = ({ network, direct, status }: ShownPayout): boolean =>
  status !== 'disabled' && (direct !== undefined || !network.startsWith('eip155:'));
