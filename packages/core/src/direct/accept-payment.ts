// Decides whether a merchant's word completes an intent with a mismatched payment of it.
import { atomicAmount } from '@svc-pay/money';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { EventDraft } from '../event/event-draft.ts';
import { INTENT_STATUS, INTENT_TRANSITIONS } from '../intent/intent-transitions.ts';
import type { StoredPayment } from '../payment/payment.ts';
import { draftEvents, eventsFor, type Snapshot } from '../payment/payment-events.ts';
import { PAYMENT_STATUS, PAYMENT_TRANSITIONS } from '../payment/payment-transitions.ts';
import { transition } from '../transitions.ts';

export type AcceptFacts = {
  readonly intent: Snapshot['intent'];
  readonly eventSequence: number;
  /** The payment that is accepted, whichever the intent names. */
  readonly payment: StoredPayment;
  /** A refund of it is open. */
  readonly isBeingRefunded: boolean;
  /** What is paid in parts for its acceptance, itself included; null where it is no part. */
  readonly partsAtomic: bigint | null;
};

export type AcceptRefusal = Extract<
  ErrorCode,
  'payment_not_mismatched' | 'intent_paid_by_another' | 'intent_payment_under_way' | 'payment_being_refunded'
>;

export type AcceptVerdict =
  /** It is completed already: nothing changes. */
  | { readonly verdict: 'completed' }
  | { readonly verdict: 'refused'; readonly code: AcceptRefusal }
  | {
      readonly verdict: 'accepted';
      readonly after: Snapshot & { readonly payment: StoredPayment };
      readonly events: readonly EventDraft[];
    };

export function acceptPayment(facts: AcceptFacts, requestId: string, nowMs: number): AcceptVerdict {
  const { intent, payment, partsAtomic } = facts;
  if (payment.status === PAYMENT_STATUS.completed) return { verdict: 'completed' };
  const code = refusalOf(facts);
  if (code !== undefined) return { verdict: 'refused', code };
  const about = `payment ${payment.id} of intent ${intent.id}`;
  const status = transition(INTENT_TRANSITIONS, intent.status, 'completed', 'accept', about);
  const { requestedAmount, network, asset, tokenShortcode } = payment;
  const before = { intent, payment };
  const after = {
    // The intent shows the terms that are paid, as a claim would write them.
    intent: { ...intent, status, amount: requestedAmount ?? intent.amount, network, ledgerId: asset, tokenShortcode },
    payment: {
      ...payment,
      status: transition(PAYMENT_TRANSITIONS, payment.status, 'completed', 'accept', about),
      paidTotal: atomicAmount(partsAtomic ?? (payment.paidAmount ?? 0n) - (payment.refundedAmount ?? 0n)),
      refundDueAmount: null,
      completedAtMs: nowMs,
    },
  };
  const origin = { requestId, idempotencyKey: null };
  return {
    verdict: 'accepted',
    after,
    events: draftEvents(eventsFor(before, after), after, origin, nowMs, facts.eventSequence),
  };
}

function refusalOf({ intent, payment, isBeingRefunded }: AcceptFacts): AcceptRefusal | undefined {
  if (payment.status !== PAYMENT_STATUS.mismatched) return 'payment_not_mismatched';
  if (intent.status === INTENT_STATUS.completed) return 'intent_paid_by_another';
  if (intent.status === INTENT_STATUS.processing) return 'intent_payment_under_way';
  return isBeingRefunded ? 'payment_being_refunded' : undefined;
}
