import type { LogEventEntries } from './log-event.ts';

export const CONSOLE_EVENTS = {
  console_signed_in: {
    level: 'info',
    message: 'A person signed in to the console.',
    whatToDo: 'Nothing. The audit record has the session under the same `personId`.',
  },
  console_invitation_accepted: {
    level: 'info',
    message: 'A person accepted an invitation to the console, or recovered with one.',
    whatToDo: 'Nothing. The audit record says who made the invitation.',
  },
  passkey_refused: {
    level: 'warn',
    message: 'The answer of a passkey was refused; `why` says what did not fit.',
    whatToDo:
      'Nothing for a few. Many from one network: somebody tries. A counter that is lower than expected: the passkey was copied; remove it.',
  },
  console_token_reused: {
    level: 'warn',
    message: 'A replaced token of a console session came back, and the session was ended.',
    whatToDo: 'Ask the person whether the device is theirs alone: two held a token of one session.',
  },
  console_relay_failed: {
    level: 'error',
    message: 'The API or the admin service does not answer the console.',
    whatToDo: 'Look whether they run, and at SVC_API_URL and SVC_ADMIN_URL of the console.',
  },
  console_removal_failed: {
    level: 'error',
    message: 'Sessions and challenges that are over could not be removed.',
    whatToDo: 'Look at the database. The next minute tries again.',
  },
  overview_fold_failed: {
    level: 'error',
    message: 'The books could not be folded into the overview, whose figures stay as of an earlier time.',
    whatToDo:
      'Look at the database: the role of the console may execute `svc.fold_overview`, and every migration is applied. The next second tries again, and nothing is lost.',
  },
} as const satisfies LogEventEntries;
