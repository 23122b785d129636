import { defineTransitions, type StatusOf, statusNames } from '../transitions.ts';

export const RELAYER_TRANSITIONS = defineTransitions({
  start: ['active', { to: 'draining', only: 'restore' }],
  states: {
    active: {
      about: 'The lane takes payments from the queue. An operator makes it `draining`.',
      next: ['draining'],
    },
    draining: {
      about:
        'The lane finishes its pending batches and takes no payment that another lane can send. An operator makes ' +
        'it `retired` when all its batches are final or given up, or `active` again. A relayer that a restore found ' +
        'on chain begins here.',
      next: ['retired', 'active'],
    },
    retired: {
      about: 'The lane has no unfinished batch and is not woken. An operator may take the key into use again.',
      next: ['active', 'draining'],
    },
  },
});

export const RELAYER_STATUS = statusNames(RELAYER_TRANSITIONS);
export type RelayerStatus = StatusOf<typeof RELAYER_TRANSITIONS>;
