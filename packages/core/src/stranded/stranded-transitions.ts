import { defineTransitions, type StatusOf, statusNames } from '../transitions.ts';

export const STRANDED_TRANSITIONS = defineTransitions({
  start: ['queued'],
  states: {
    queued: {
      about:
        'The transfer waits for the lane that resolves stranded money, or with the action `hold` for the merchant. ' +
        'A lane that signs for it makes it `batched`; if the processor refuses it for good it is `blocked`.',
      next: ['batched', 'blocked'],
    },
    batched: {
      about:
        'The transfer is in a signed batch and waits for its block. Success leads to `done`. A replaced batch makes ' +
        'it `queued` again; a mined batch without effect makes it `mined`, and after a second revert `blocked`.',
      next: ['done', 'queued', 'mined', 'blocked'],
    },
    mined: {
      about: 'The transaction is in a block and had no effect. When the block is final the transfer is `queued` again.',
      next: ['queued', { to: 'batched', only: 'reorg' }],
    },
    done: {
      about: 'The money was settled or returned. A reorg that removes the block makes it `batched` again.',
      next: [{ to: 'batched', only: 'reorg' }],
    },
    blocked: {
      about:
        'The processor refuses the transfer for good, or two transactions reverted: a person must act. A reorg that ' +
        'removes the second revert makes it `batched` again.',
      next: [{ to: 'batched', only: 'reorg' }],
    },
  },
});

export const STRANDED_STATUS = statusNames(STRANDED_TRANSITIONS);

/** The service still acts on the transfer, or with the action `hold` waits for what decides it. */
export const OPEN_STRANDED = [STRANDED_STATUS.queued, STRANDED_STATUS.batched, STRANDED_STATUS.mined] as const;

export type StrandedStatus = StatusOf<typeof STRANDED_TRANSITIONS>;
