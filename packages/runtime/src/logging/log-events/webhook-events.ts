import type { LogEventEntries } from './log-event.ts';

export const WEBHOOK_EVENTS = {
  endpoint_failing: {
    level: 'warn',
    message:
      'Every delivery to a webhook endpoint has failed for a day or longer; at disablesAt the endpoint is switched off.',
    whatToDo: 'Tell the owner of the account: [webhooks](../operate/webhooks.md).',
  },
  endpoint_switched_off: {
    level: 'warn',
    message: 'A webhook endpoint was switched off; its deliveries wait.',
    whatToDo:
      'Tell the owner of the account; `reason` says why: [EndpointSwitchedOff](../operate/alerts.md#endpointswitchedoff).',
  },
  delivery_not_handled: {
    level: 'error',
    message: 'A delivery was not attempted, or its result not recorded, for an unexpected reason.',
    whatToDo: 'Report `err`. When its lease ends, the delivery is attempted again.',
  },
  delivery_reports_late: {
    level: 'warn',
    message: 'Results of deliveries came after their lease and do not count.',
    whatToDo: 'Look at the load of webhooks and of the database: [ReportsVoid](../operate/alerts.md#reportsvoid).',
  },
} as const satisfies LogEventEntries;
