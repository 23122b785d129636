// Applies a payment's result on the chain to the payment and its intent.
import { atomicAmount, type Breakdown } from '@svc-pay/money';
import { UPTO_SETTLED_METADATA_KEY } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { INTENT_TRANSITIONS } from '../intent/intent-transitions.ts';
import { hasExpired } from '../intent/is-payable.ts';
import { transition } from '../transitions.ts';
import type { StoredPayment } from './payment.ts';
import type { Snapshot } from './payment-events.ts';
import { PAYMENT_TRANSITIONS } from './payment-transitions.ts';

export type PaymentChainResult =
  | {
      readonly status: 'completed';
      readonly transactionId: string;
      readonly logIndex: number;
      readonly settledAtomic: bigint;
      readonly breakdown: Breakdown;
    }
  /** `transactionId` when the payment failed inside a mined transaction. */
  | { readonly status: 'failed'; readonly transactionId: string | null; readonly code: ErrorCode };

/** After a failed payment an unexpired intent is payable again, and `mismatched` if parts of it are paid. Throws for a step that the transitions forbid. */
export function applyPaymentResult({ intent, payment }: Snapshot, end: PaymentChainResult, nowMs: number): Snapshot {
  if (payment === null) throw new Error(`intent ${intent.id} has no payment to end`);
  const status = transition(PAYMENT_TRANSITIONS, payment.status, end.status, 'ordinary', `payment ${payment.id}`);
  if (end.status === 'completed') {
    return {
      intent: {
        ...intent,
        status: transition(INTENT_TRANSITIONS, intent.status, 'completed', 'ordinary', `intent ${intent.id}`),
        ...(intent.upto && {
          serviceMetadata: { ...intent.serviceMetadata, [UPTO_SETTLED_METADATA_KEY]: end.settledAtomic.toString() },
        }),
      },
      payment: {
        ...payment,
        status,
        paidAmount: atomicAmount(end.settledAtomic),
        ...sharesOf(end.breakdown),
        transactionId: end.transactionId,
        transactionSplitId: `${end.transactionId}:${end.logIndex}`,
        completedAtMs: nowMs,
      },
    };
  }
  const unpaid = intent.hasParts === true ? 'mismatched' : 'requires_payment';
  const next = hasExpired(intent, nowMs) ? 'failed' : unpaid;
  return {
    intent: {
      ...intent,
      status: transition(INTENT_TRANSITIONS, intent.status, next, 'ordinary', `intent ${intent.id}`),
    },
    payment: {
      ...payment,
      status,
      failureCode: end.code,
      transactionId: end.transactionId ?? payment.transactionId,
    },
  };
}

/** How the paid amount was divided, as a payment shows it. */
export function sharesOf(breakdown: Breakdown): Pick<StoredPayment, 'feeAmount' | 'returnedAmount' | 'splits'> {
  return {
    feeAmount: breakdown.feeAtomic,
    returnedAmount: breakdown.refundAtomic,
    splits: breakdown.splits.map(({ to, amountAtomic }) => ({ recipient: to, amount: amountAtomic })),
  };
}
