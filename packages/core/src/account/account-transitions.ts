import { defineTransitions, type StatusOf, statusNames } from '../transitions.ts';

export const ACCOUNT_TRANSITIONS = defineTransitions({
  start: ['active'],
  states: {
    active: {
      about: 'The account takes requests. Nothing but an operator ends it.',
      next: ['closed'],
    },
    closed: {
      about:
        'An operator closed the account: its keys are refused and no new ones are made. Payments under way are settled ' +
        'and announced.',
      next: [],
    },
  },
});

export const ACCOUNT_STATUS = statusNames(ACCOUNT_TRANSITIONS);
export type AccountStatus = StatusOf<typeof ACCOUNT_TRANSITIONS>;
