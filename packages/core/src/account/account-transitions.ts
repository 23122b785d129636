import { defineTransitions, type StatusOf, statusNames } from '../transitions.ts';

export const ACCOUNT_TRANSITIONS = defineTransitions({
  start: ['active'],
  states: {
    active: {
      about: 'The account takes requests. Nothing but an operator ends it.',
      next: ['moving', 'closed'],
    },
    moving: {
      about:
        'An operator moves the account to another cell: requests are refused for the time being. Payments under way are ' +
        'settled and announced; when none is left, the account is copied. An operator can abort until then.',
      next: ['active', 'moved'],
    },
    moved: {
      about: 'Another cell has the account, and this one refuses its keys. What happened before is recorded there too.',
      next: [],
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
