import { defineTransitions, type StatusOf, statusNames } from '../transitions.ts';

export const DELIVERY_TRANSITIONS = defineTransitions({
  start: ['pending'],
  states: {
    pending: {
      about:
        'The delivery waits for its next attempt, or for its endpoint to be enabled. Success leads to `succeeded`; ' +
        'without retries left it is `failed`; if its endpoint is deleted, `discarded`.',
      next: ['succeeded', 'failed', 'discarded'],
    },
    succeeded: {
      about: 'The endpoint has taken the event. A resend or a replay of all events makes it `pending` again.',
      next: ['pending'],
    },
    failed: {
      about: 'All attempts are used up. A resend, a replay, or enabling the endpoint again makes it `pending` again.',
      next: ['pending'],
    },
    discarded: {
      about: 'The endpoint was deleted before the event arrived.',
      next: [],
    },
  },
});

export const DELIVERY_STATUS = statusNames(DELIVERY_TRANSITIONS);
export type DeliveryStatus = StatusOf<typeof DELIVERY_TRANSITIONS>;

/** The endpoint has not taken the event, and may still get it. */
export const UNDELIVERED = [DELIVERY_STATUS.pending, DELIVERY_STATUS.failed] as const;
