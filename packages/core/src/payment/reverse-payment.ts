// Reverses a completed payment after a reorg: the payment is pending again, and its intent processing.

import { INTENT_TRANSITIONS } from '../intent/intent-transitions.ts';
import { transition } from '../transitions.ts';
import type { Snapshot } from './payment-events.ts';
import { PAYMENT_TRANSITIONS } from './payment-transitions.ts';

/** Keeps the transaction id: the same bytes are broadcast again. */
export function reversePayment({ intent, payment }: Snapshot): Snapshot {
  if (payment === null) throw new Error(`intent ${intent.id} has no payment to take back`);
  return {
    intent: {
      ...intent,
      status: transition(INTENT_TRANSITIONS, intent.status, 'processing', 'reorg', `intent ${intent.id}`),
    },
    payment: {
      ...payment,
      status: transition(PAYMENT_TRANSITIONS, payment.status, 'pending', 'reorg', `payment ${payment.id}`),
      paidAmount: null,
      feeAmount: null,
      splits: null,
      returnedAmount: null,
      transactionSplitId: null,
      completedAtMs: null,
    },
  };
}
