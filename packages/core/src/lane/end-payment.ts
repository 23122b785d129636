// How a payment and its intent look when the chain has spoken.
import { atomicAmount } from '@svc-pay/money';
import { UPTO_SETTLED_METADATA_KEY } from '@svc-pay/protocol';
import type { Snapshot } from '../event/events-for.ts';
import { INTENT_TRANSITIONS } from '../intent/intent-transitions.ts';
import { PAYMENT_TRANSITIONS } from '../payment/payment-transitions.ts';
import { transition } from '../transitions.ts';

export type PaymentEnd =
  | {
      readonly status: 'completed';
      readonly transactionId: string;
      readonly logIndex: number;
      readonly settledAtomic: bigint;
    }
  /** `transactionId` when it failed inside a mined transaction. */
  | { readonly status: 'failed'; readonly transactionId: string | null };

/** An intent whose attempt failed is the payer's again while it lives. A step the state tables forbid throws. */
export function endPayment({ intent, payment }: Snapshot, end: PaymentEnd, nowMs: number): Snapshot {
  if (payment === null) throw new Error(`intent ${intent.id} has no payment to end`);
  const status = transition(PAYMENT_TRANSITIONS, payment.status, end.status);
  if (end.status === 'completed') {
    return {
      intent: {
        ...intent,
        status: transition(INTENT_TRANSITIONS, intent.status, 'completed'),
        ...(intent.upto && {
          serviceMetadata: { ...intent.serviceMetadata, [UPTO_SETTLED_METADATA_KEY]: end.settledAtomic.toString() },
        }),
      },
      payment: {
        ...payment,
        status,
        paidAmount: atomicAmount(end.settledAtomic),
        transactionId: end.transactionId,
        transactionSplitId: `${end.transactionId}:${end.logIndex}`,
        completedAtMs: nowMs,
      },
    };
  }
  const next = intent.expiresAtMs > nowMs ? 'requires_payment' : 'failed';
  return {
    intent: { ...intent, status: transition(INTENT_TRANSITIONS, intent.status, next) },
    payment: { ...payment, status, transactionId: end.transactionId ?? payment.transactionId },
  };
}
