import type { RefundStatus } from '@svc-pay/protocol/merchant';
import { defineTransitions, statusNames } from '../transitions.ts';

export const REFUND_TRANSITIONS = defineTransitions<RefundStatus>({
  start: ['prepared', 'queued'],
  states: {
    prepared: {
      about:
        'The merchant has the terms and has not submitted a signature: nothing is reserved and nothing is sent. A ' +
        'signature leads to `queued`; without one the refund is `canceled` when its terms expire.',
      next: ['queued', 'canceled'],
    },
    queued: {
      about:
        'The refund is signed, reported, or was found on chain, and its amount is reserved. A lane that signs a ' +
        'transaction for it makes it `sent`. Final logs that prove the transfer make it `completed`; it is `failed` only ' +
        'when it is certain that its signature moves no money any more.',
      next: ['sent', 'completed', 'failed'],
    },
    sent: {
      about:
        'A lane stored a signed transaction for the refund. A transaction that was replaced or reverted makes it ' +
        '`queued` again; final logs decide between `completed` and `failed`.',
      next: ['queued', 'completed', 'failed'],
    },
    completed: {
      about: 'A final log proves that the money reached its recipient. The refund is booked and stays as it is.',
      next: [],
    },
    failed: {
      about: 'The refund moved no money of the payment, and its failure code says why. Its amount is free again.',
      next: [],
    },
    canceled: {
      about: 'The merchant canceled the prepared refund, or did not sign it in time. It reserved nothing.',
      next: [],
    },
  },
});

export const REFUND_STATUS = statusNames(REFUND_TRANSITIONS);

/** The amount of such a refund is reserved. */
export const OPEN_REFUND = [REFUND_STATUS.queued, REFUND_STATUS.sent] as const;
