import type { LogEventEntries } from './log-event.ts';

export const ADMIN_EVENTS = {
  admin_action: {
    level: 'info',
    message: 'An operator asked for a change; `done` says whether it was made.',
    whatToDo: 'Nothing. The audit record has the change under the same `actor`.',
  },
  audit_head_signed: {
    level: 'info',
    message: 'The heads of the audit record were signed.',
    whatToDo:
      'Nothing. Keep the log where nobody who can write to the database can write; `svc audit verify` checks `head`.',
  },
  audit_head_not_signed: {
    level: 'error',
    message: 'The heads of the audit record could not be signed, or not be added to SVC_AUDIT_EXPORT_FILE.',
    whatToDo: 'Look at the database and at the file. The next hour tries again.',
  },
} as const satisfies LogEventEntries;
