import { defineTransitions, type StatusOf, statusNames } from '../transitions.ts';

export const PAYOUT_TRANSITIONS = defineTransitions({
  start: ['pending', 'active'],
  states: {
    pending: {
      about:
        'The payout waits for the chain: it is not registered there yet, or is registered with other terms. New ' +
        'intents do not offer it. When the chain has its terms it is `active`; when the chain retires it, ' +
        '`disabled`.',
      next: ['active', 'disabled'],
    },
    active: {
      about:
        'New intents offer the payout. If the chain shows other terms it is `pending` again; when the chain retires ' +
        'it, or an operator ends one that is in no registry, `disabled`.',
      next: ['pending', 'disabled'],
    },
    disabled: {
      about:
        'The chain has retired the payout or is about to, or an operator ended one that is in no registry. The id ' +
        'is never used again.',
      next: [],
    },
  },
});

export const PAYOUT_STATUS = statusNames(PAYOUT_TRANSITIONS);
export type PayoutStatus = StatusOf<typeof PAYOUT_TRANSITIONS>;
