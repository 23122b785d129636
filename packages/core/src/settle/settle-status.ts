// The status of a settle answer as a function of stored rows and of nothing else: whoever asks again, on whichever
// process, hears the same until the rows change.
import type { IntentStatus, PaymentStatus, SettleStatus } from '@svc-pay/protocol';
import type { SettlementRead } from './settlement-read.ts';

export type SettleVerdict =
  | { readonly status: Exclude<SettleStatus, 'failed'> }
  | { readonly status: 'failed'; readonly error: string };

/** Said when a payment ended without anybody saying why. */
const UNEXPLAINED = 'intent_not_payable';

export function settleStatus({ intent, own }: SettlementRead): SettleVerdict {
  if (own === null) return INTENT_SAYS[intent.status];
  const { status, completedAtMs } = own.payment;
  const failed = { status: 'failed', error: own.failureCode ?? UNEXPLAINED } as const;
  // Paid by another payment: whoever hears of a failure now might pay a second time.
  const paid = intent.status === 'completed';
  const says: Readonly<Record<PaymentStatus, SettleVerdict>> = {
    completed: { status: 'succeeded' },
    refunded: { status: completedAtMs === null ? 'mismatched' : 'succeeded' },
    pending: { status: paid ? 'completed' : 'processing' },
    mismatched: { status: paid ? 'completed' : 'mismatched' },
    failed: paid ? { status: 'completed' } : failed,
    canceled: paid ? { status: 'completed' } : failed,
  };
  return says[status];
}

/** For a header that took no claim: how the intent stands. */
const INTENT_SAYS: Readonly<Record<IntentStatus, SettleVerdict>> = {
  processing: { status: 'processing' },
  completed: { status: 'completed' },
  mismatched: { status: 'mismatched' },
  requires_payment: { status: 'failed', error: UNEXPLAINED },
  failed: { status: 'failed', error: UNEXPLAINED },
  canceled: { status: 'failed', error: UNEXPLAINED },
};
