// Computes the status of a settle answer from stored rows only: every process answers the same until they change.
import type { IntentStatus, PaymentStatus, SettleStatus } from '@svc-pay/protocol';
import type { SettlementRead } from './settlement-read.ts';

export type SettleVerdict =
  | { readonly status: Exclude<SettleStatus, 'failed'>; readonly error?: string }
  | { readonly status: 'failed'; readonly error: string };

/** Error of a payment that failed without a recorded cause. */
const UNEXPLAINED = 'intent_not_payable';

export function settleStatus({ intent, own }: SettlementRead): SettleVerdict {
  if (own === null) return INTENT_SAYS[intent.status];
  const { payment, refusal } = own;
  const { status, completedAtMs } = payment;
  const failed = { status: 'failed', error: own.failureCode ?? UNEXPLAINED } as const;
  // Another payment has paid the intent: a payer who is told of a failure might pay a second time.
  const paid = intent.status === 'completed';
  const says: Readonly<Record<PaymentStatus, SettleVerdict>> = {
    completed: { status: 'succeeded' },
    refunded: { status: completedAtMs === null ? 'mismatched' : 'succeeded' },
    // A refused direct payment may still be made, with the same signature and by anybody.
    pending: paid
      ? { status: 'completed' }
      : { status: 'processing', ...(refusal !== undefined && { error: refusal }) },
    mismatched: { status: paid ? 'completed' : 'mismatched' },
    failed: paid ? { status: 'completed' } : failed,
    canceled: paid ? { status: 'completed' } : failed,
  };
  return says[status];
}

/** Verdict for a header without a claim, by the status of the intent. */
const INTENT_SAYS: Readonly<Record<IntentStatus, SettleVerdict>> = {
  processing: { status: 'processing' },
  completed: { status: 'completed' },
  mismatched: { status: 'mismatched' },
  requires_payment: { status: 'failed', error: UNEXPLAINED },
  failed: { status: 'failed', error: UNEXPLAINED },
  canceled: { status: 'failed', error: UNEXPLAINED },
};
