import { defineTransitions, type StatusOf, statusNames } from '../transitions.ts';

export const SETTLEMENT_TRANSITIONS = defineTransitions({
  start: ['queued', 'canceled', 'held', 'completed', { to: 'batched', only: 'restore' }],
  states: {
    queued: {
      about:
        'The settlement waits for a lane. A lane that signs for it makes it `batched`. If the simulation refuses ' +
        'it, it is `failed`, or `held` when money may have moved or the payment is direct. A direct settlement is ' +
        '`completed` if a transaction of somebody else made it.',
      next: ['batched', 'held', 'failed', 'completed'],
    },
    batched: {
      about:
        'The settlement is in a signed batch and waits for its block. Success leads to `completed`. A reverted or ' +
        'replaced batch makes it `queued` again; a mined batch that did not settle it makes it `mined`.',
      next: ['completed', 'queued', 'mined', { to: 'failed', only: 'restore' }],
    },
    mined: {
      about:
        'The transaction is mined and did not settle the payment; the settlement waits until the block is final. Then ' +
        'it is `failed`, `queued` again, or `held` when money may have moved.',
      next: ['failed', 'queued', 'held', { to: 'batched', only: 'reorg' }, { to: 'batched', only: 'restore' }],
    },
    held: {
      about:
        'The authorization is used or the intent is settled on chain, and it is not proven by whom. The settlement ' +
        'waits for finalized logs or for its stranded transfer: the proof makes it `completed` or `failed`, and a ' +
        'reorg that removes the reason makes it `queued`. A direct settlement that the chain refused is held too: it ' +
        'is `queued` when the payer submits it again, and `failed` when it has expired.',
      next: ['completed', 'failed', 'queued', { to: 'batched', only: 'restore' }],
    },
    completed: {
      about:
        'The money was moved. When a reorg removes the block it is `batched` again, or `held` if a stranded ' +
        'transfer completed it. Of a `mismatched` payment it begins so.',
      next: [
        { to: 'batched', only: 'reorg' },
        { to: 'held', only: 'reorg' },
      ],
    },
    failed: {
      about: 'No money can move any more. The payment never has a second settlement.',
      next: [],
    },
    canceled: {
      about: 'No lane was to send the settlement: its stranded transfer is returned to the payer.',
      next: [],
    },
  },
});

export const SETTLEMENT_STATUS = statusNames(SETTLEMENT_TRANSITIONS);
export type SettlementStatus = StatusOf<typeof SETTLEMENT_TRANSITIONS>;

/** The statuses in which a settlement is inserted. */
export const NEW_SETTLEMENT = [
  SETTLEMENT_STATUS.queued,
  SETTLEMENT_STATUS.held,
  SETTLEMENT_STATUS.batched,
  SETTLEMENT_STATUS.completed,
  SETTLEMENT_STATUS.canceled,
] as const;
export type NewSettlement = (typeof NEW_SETTLEMENT)[number];

/** The result is not known yet: the payment is pending. */
export const OPEN_SETTLEMENT = [
  SETTLEMENT_STATUS.queued,
  SETTLEMENT_STATUS.held,
  SETTLEMENT_STATUS.batched,
  SETTLEMENT_STATUS.mined,
] as const;
export type OpenSettlement = (typeof OPEN_SETTLEMENT)[number];

/** No batch carries the settlement: what is read on chain may end it. */
export const UNSENT_SETTLEMENT = [SETTLEMENT_STATUS.queued, SETTLEMENT_STATUS.held] as const;
export type UnsentSettlement = (typeof UNSENT_SETTLEMENT)[number];

/** Nothing but a reorg changes a settlement with one of these. */
export const ENDED_SETTLEMENT = [
  SETTLEMENT_STATUS.completed,
  SETTLEMENT_STATUS.failed,
  SETTLEMENT_STATUS.canceled,
] as const;

/** Ended without a transaction of ours that moved money. */
export const UNPAID_SETTLEMENT = [SETTLEMENT_STATUS.failed, SETTLEMENT_STATUS.canceled] as const;

/** A batch carries the settlement, whether or not it has settled it. */
export const CARRIED_SETTLEMENT = [
  SETTLEMENT_STATUS.batched,
  SETTLEMENT_STATUS.mined,
  SETTLEMENT_STATUS.completed,
] as const;
