import type { LogEventEntries } from './log-event.ts';

export const API_EVENTS = {
  request_finished: {
    level: 'info',
    message: 'A request was answered.',
    whatToDo: 'Nothing.',
  },
  request_unavailable: {
    level: 'warn',
    message: 'A request was answered with service_unavailable.',
    whatToDo:
      'Read `err`: mostly the database does not answer, or every connection is busy ([ApiErrors](../operate/alerts.md#apierrors)).',
  },
  requests_cut_off: {
    level: 'warn',
    message: 'Requests that ran longer than SVC_API_STOP_TIMEOUT_MS were cut off when the service stopped.',
    whatToDo: 'Nothing. Their callers repeat them.',
  },
  price_not_refreshed: {
    level: 'warn',
    message: 'The price feed gave no fresh price.',
    whatToDo: 'Look at the feed. The last price is used until it is too old; then its tokens are not offered.',
  },
  chain_read_failed: {
    level: 'warn',
    message: 'A chain could not be read for a request.',
    whatToDo: 'Look at the RPC endpoints of `network` in the API’s configuration.',
  },
  intent_stream_not_read: {
    level: 'warn',
    message: 'The state of an intent could not be read for its stream, or not be sent; the next poll tries again.',
    whatToDo: 'Nothing for a single line. If it repeats, look at the database.',
  },
  awaited_payments_not_read: {
    level: 'warn',
    message: 'The outcome of payments that settle calls wait for could not be read; the next poll reads it.',
    whatToDo: 'Nothing for a single line. If it repeats, look at the database.',
  },
  settlement_not_reached: {
    level: 'warn',
    message: 'A settlement process did not begin an up-to settlement; the API asks the next one.',
    whatToDo: 'Look at settlement. If no process answers, the caller gets `service_unavailable` and repeats the call.',
  },
} as const satisfies LogEventEntries;
