import type { IntentStatus } from '@svc-pay/protocol';
import { defineTransitions, statusNames } from '../transitions.ts';

export const INTENT_TRANSITIONS = defineTransitions<IntentStatus>({
  start: ['requires_payment'],
  states: {
    requires_payment: {
      about:
        'The intent waits for the payer. A claimed authorization makes it `processing`; the merchant, or its ' +
        'expiry, makes it `canceled`.',
      next: ['processing', 'canceled', 'mismatched', { to: 'completed', only: 'accept' }],
    },
    processing: {
      about:
        'An authorization is claimed and the result of its payment is not known yet. Success leads to `completed`. ' +
        'A payment that failed without moving money gives the intent back as `requires_payment`, as `mismatched` if ' +
        'parts of it are paid, or as `failed` if it has expired.',
      next: ['completed', 'requires_payment', 'failed', 'mismatched'],
    },
    mismatched: {
      about:
        'Another amount was paid than the intent asks for. It can still be paid, in whole or in further parts, until ' +
        'it expires, and then it is `canceled`. The merchant may accept what was paid, or cancel it.',
      next: ['processing', 'canceled', { to: 'completed', only: 'accept' }],
    },
    completed: {
      about: 'The intent is paid. It is `processing` again only when a reorg removes the block of its payment.',
      next: [{ to: 'processing', only: 'reorg' }],
    },
    failed: {
      about:
        'The last payment failed and the intent has expired. A restored database makes it `processing` if the chain ' +
        'shows that it was paid.',
      next: [
        { to: 'processing', only: 'restore' },
        { to: 'completed', only: 'accept' },
      ],
    },
    canceled: {
      about:
        'The merchant canceled the intent, or it expired unpaid. It can no longer be paid; the merchant may accept ' +
        'money that arrived too late.',
      next: [{ to: 'completed', only: 'accept' }],
    },
  },
});

export const INTENT_STATUS = statusNames(INTENT_TRANSITIONS);

/** A payment of the intent may begin. */
export const PAYABLE_INTENT = [INTENT_STATUS.requires_payment, INTENT_STATUS.mismatched] as const;

/** A payment of the intent may still begin or end. */
export const OPEN_INTENT = [...PAYABLE_INTENT, INTENT_STATUS.processing] as const;

/** Nothing but a reorg, a restore or the merchant's acceptance of a payment changes an intent with one of these. */
export const ENDED_INTENT = [INTENT_STATUS.completed, INTENT_STATUS.failed, INTENT_STATUS.canceled] as const;
