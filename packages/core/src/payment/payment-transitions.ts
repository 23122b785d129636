import type { PaymentStatus } from '@svc-pay/protocol';
import { defineTransitions, statusNames } from '../transitions.ts';

export const PAYMENT_TRANSITIONS = defineTransitions<PaymentStatus>({
  start: ['pending', 'canceled', 'mismatched'],
  states: {
    pending: {
      about:
        'The payment waits for the result of its settlement. Success leads to `completed`; it is `failed` only when ' +
        'it is certain that no money can move.',
      next: ['completed', 'failed', { to: 'canceled', only: 'unwritten' }, { to: 'mismatched', only: 'unwritten' }],
    },
    mismatched: {
      about:
        'The money reached the merchant, and it is not what the intent asks for: another amount, or money for an ' +
        'intent that had ended, whose price was over, that another payment had or that expects another sender. It ' +
        'waits for further parts, or for the merchant, who accepts or refunds it.',
      next: [{ to: 'completed', only: 'accept' }, 'refunded'],
    },
    completed: {
      about:
        'The money was moved and is booked. The payment is `pending` again only when a reorg removes its block, and ' +
        '`refunded` when refunds gave all of it back.',
      next: [{ to: 'pending', only: 'reorg' }, 'refunded'],
    },
    failed: {
      about: 'The payment moved no money, and its failure code says why. The intent may have another payment.',
      next: [],
    },
    canceled: {
      about:
        'The relayer never signed for the payment, so it moved no money. It is written for a stranded transfer that ' +
        'is returned without a payment of its own.',
      next: [],
    },
    refunded: {
      about: 'Completed refunds gave back all that was paid. A part of it leaves the status as it was.',
      next: [],
    },
  },
});

export const PAYMENT_STATUS = statusNames(PAYMENT_TRANSITIONS);
