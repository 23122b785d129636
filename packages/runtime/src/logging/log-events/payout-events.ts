import type { LogEventEntries } from './log-event.ts';

/** API and settlement: lines about direct payouts. */
export const PAYOUT_EVENTS = {
  payout_activation_accepted: {
    level: 'info',
    message: 'This process uses a direct payout for the first time; both signatures of its activation are good.',
    whatToDo: 'Nothing. The line names wallet, account and approver.',
  },
  payout_activation_refused: {
    level: 'error',
    message: 'A direct payout is neither offered nor settled: its activation does not hold for this process.',
    whatToDo:
      'Read `code`: the row is not the one that was signed, or SVC_PAYOUT_APPROVERS or SVC_PAYOUT_DELAY_HOURS differ between the services. If neither setting changed, somebody else writes to the database.',
  },
  payout_activated: {
    level: 'warn',
    message:
      'A direct payout was activated and is in use: the first wallet of an account, the same again, or a change whose time has come.',
    whatToDo: 'Nothing, if you know of it. If nobody here activated it, end it: `npm run svc -- payouts disable`.',
  },
  payout_change_pending: {
    level: 'warn',
    message: 'An account changes the wallet of a direct payout.',
    whatToDo:
      'Ask the merchant by another way whether the change is theirs. If it is not, end it before `activeFrom`: `npm run svc -- payouts disable`.',
  },
} as const satisfies LogEventEntries;
