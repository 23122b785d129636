import { defineTransitions, type StatusOf, statusNames } from '../transitions.ts';

export const ACCOUNT_TRANSITIONS = defineTransitions({
  start: ['active'],
  states: {
    active: {
      about: 'The account takes requests. Nothing ends it by itself.',
      next: [{ to: 'closed', only: 'unwritten' }],
    },
    closed: {
      about: 'The keys of the account are refused and no new ones are made. No command closes an account.',
      next: [],
    },
  },
});

export const ACCOUNT_STATUS = statusNames(ACCOUNT_TRANSITIONS);
export type AccountStatus = StatusOf<typeof ACCOUNT_TRANSITIONS>;
