import { defineTransitions, type StatusOf, statusNames } from '../transitions.ts';

export const EVENT_REPLAY_TRANSITIONS = defineTransitions({
  start: ['running'],
  states: {
    running: {
      about:
        'The replay queues the deliveries of its range, a page at a time. Past the last page it is `done`; if its ' +
        'endpoint is deleted, `failed`.',
      next: ['done', 'failed'],
    },
    done: { about: 'Every event of the range was looked at.', next: [] },
    failed: { about: 'The endpoint was deleted; the rest of the range was not looked at.', next: [] },
  },
});

export const EVENT_REPLAY_STATUS = statusNames(EVENT_REPLAY_TRANSITIONS);
export type EventReplayStatus = StatusOf<typeof EVENT_REPLAY_TRANSITIONS>;
