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
  quota_leases_late: {
    level: 'warn',
    message: 'The database leases no quota; requests are judged by this process’s share of each quota.',
    whatToDo:
      'Look at the database ([QuotaLeasesLate](../operate/alerts.md#quotaleaseslate)). What is used meanwhile is counted when it answers.',
  },
  quota_leases_resumed: {
    level: 'info',
    message: 'The database leases quota again.',
    whatToDo: 'Nothing.',
  },
  quota_rows_not_deleted: {
    level: 'warn',
    message: 'Rows of quotas that are no longer needed could not be deleted; the next try is in ten seconds.',
    whatToDo: 'Nothing for a single line. If it repeats, look at the database.',
  },
  deny_list_not_read: {
    level: 'warn',
    message: 'The deny list could not be read; the last one holds until the database answers.',
    whatToDo:
      'Look at the database ([DenyListOld](../operate/alerts.md#denylistold)). Entries that were added meanwhile have no effect yet.',
  },
  setting_changes_not_read: {
    level: 'warn',
    message:
      'The changes of keys and settings could not be read; requests ask the database until a look answers again.',
    whatToDo: 'Nothing for a single line. If it repeats, look at the database: nothing is answered from the cache.',
  },
  abuse_counts_not_written: {
    level: 'warn',
    message: 'The counts of `svc abuse top` could not be written; they are kept for the next try.',
    whatToDo: 'Nothing for a single line. If it repeats, look at the database.',
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
  answer_marks_not_written: {
    level: 'warn',
    message: 'Which answers to x402 sellers arrived could not be written; it is tried again.',
    whatToDo:
      'Nothing for a single line. If it repeats, look at the database: an answer without a mark counts as lost after some seconds.',
  },
  key_uses_not_recorded: {
    level: 'warn',
    message: 'The last use of API keys could not be written.',
    whatToDo: 'Nothing for a single line: the next use is written. If it repeats, look at the database.',
  },
  settlement_not_reached: {
    level: 'warn',
    message: 'A settlement process did not begin an up-to settlement; the API asks the next one.',
    whatToDo: 'Look at settlement. If no process answers, the caller gets `service_unavailable` and repeats the call.',
  },
} as const satisfies LogEventEntries;
