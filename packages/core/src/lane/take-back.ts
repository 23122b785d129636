// What a reorganisation does to a payment that was called completed: it is on its way again, and its intent with it.
import type { Snapshot } from '../event/events-for.ts';
import { INTENT_TRANSITIONS } from '../intent/intent-transitions.ts';
import { PAYMENT_TRANSITIONS } from '../payment/payment-transitions.ts';
import { transition } from '../transitions.ts';

/** Keeps the transaction's id: the same bytes are offered again. */
export function takeBackPayment({ intent, payment }: Snapshot): Snapshot {
  if (payment === null) throw new Error(`intent ${intent.id} has no payment to take back`);
  return {
    intent: { ...intent, status: transition(INTENT_TRANSITIONS, intent.status, 'processing', 'reorg') },
    payment: {
      ...payment,
      status: transition(PAYMENT_TRANSITIONS, payment.status, 'pending', 'reorg'),
      paidAmount: null,
      transactionSplitId: null,
      completedAtMs: null,
    },
  };
}
