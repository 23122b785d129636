import type { Payment } from '@svc-pay/protocol';
import type { PaymentList, PaymentTimeline } from '@svc-pay/protocol/merchant';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { keyOf, type PageScope, relay } from './scope.ts';

const FOLLOW_MS = 3_000;
const REST_MS = 30_000;

export function useTimeline(scope: PageScope, intentId: string) {
  return useQuery({
    queryKey: keyOf(scope, 'timeline', intentId),
    queryFn: ({ signal }) =>
      relay<PaymentTimeline>(scope, `/sdk/payment-intents/${encodeURIComponent(intentId)}/timeline`, { signal }),
    refetchInterval: ({ state }) => (state.data?.atRest === false ? FOLLOW_MS : REST_MS),
  });
}

/** Payments of the intent, newest first; read again whenever the timeline has changed. */
export function usePayments(scope: PageScope, intentId: string, entries: number) {
  return useQuery({
    queryKey: keyOf(scope, 'payments-of', intentId, entries),
    queryFn: ({ signal }) =>
      relay<PaymentList>(scope, `/sdk/payments?limit=100&intentId=${encodeURIComponent(intentId)}`, { signal }),
    placeholderData: (before) => before,
    select: ({ data }): readonly Payment[] => data,
  });
}

/** After an action: what the page shows of the payment is read again, and its lists when they are opened. */
export async function refreshPayment(queries: QueryClient, scope: PageScope, intentId: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: keyOf(scope, 'timeline', intentId) }),
    queries.invalidateQueries({ queryKey: keyOf(scope, 'payments-of', intentId) }),
  ]);
  queries.removeQueries({ queryKey: keyOf(scope, 'list'), type: 'inactive' });
}
