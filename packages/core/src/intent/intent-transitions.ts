import type { IntentStatus } from '@svc-pay/protocol';
import { defineTransitions, statusNames } from '../transitions.ts';

export const INTENT_TRANSITIONS = defineTransitions<IntentStatus>({
  start: ['requires_payment'],
  states: {
    requires_payment: {
      about:
        'The intent waits for the payer. A claimed authorization makes it `processing`; the merchant, or its ' +
        'expiry, makes it `canceled`.',
      next: ['processing', 'canceled', { to: 'mismatched', only: 'unwritten' }],
    },
    processing: {
      about:
        'An authorization is claimed and the result of its payment is not known yet. Success leads to `completed`. ' +
        'A payment that failed without moving money gives the intent back as `requires_payment`, or as `failed` if ' +
        'it has expired.',
      next: ['completed', 'requires_payment', 'failed', { to: 'mismatched', only: 'unwritten' }],
    },
    mismatched: {
      about:
        'Another amount was paid than the intent asked for. No statement writes it yet; the merchant may cancel it.',
      next: ['canceled', { to: 'completed', only: 'unwritten' }],
    },
    completed: {
      about: 'The intent is paid. It is `processing` again only when a reorg removes the block of its payment.',
      next: [{ to: 'processing', only: 'reorg' }],
    },
    failed: {
      about:
        'The last payment failed and the intent has expired. A restored database makes it `processing` if the chain ' +
        'shows that it was paid.',
      next: [{ to: 'processing', only: 'restore' }],
    },
    canceled: {
      about: 'The merchant canceled the intent, or it expired unpaid. It can no longer be paid.',
      next: [],
    },
  },
});

export const INTENT_STATUS = statusNames(INTENT_TRANSITIONS);

/** A payment of the intent may still begin or end. */
export const OPEN_INTENT = [INTENT_STATUS.requires_payment, INTENT_STATUS.processing] as const;

/** Nothing but a reorg or a restore changes an intent with one of these. */
export const ENDED_INTENT = [INTENT_STATUS.completed, INTENT_STATUS.failed, INTENT_STATUS.canceled] as const;
