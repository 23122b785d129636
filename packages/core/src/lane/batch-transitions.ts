import { defineTransitions, type StatusOf, statusNames } from '../transitions.ts';

export const BATCH_TRANSITIONS = defineTransitions({
  start: ['signed', { to: 'broadcast', only: 'restore' }],
  states: {
    signed: {
      about:
        'The signed bytes are stored and no node has taken them yet. They are broadcast until a node takes them: ' +
        'then the batch is `broadcast`. It may be found `mined` at once, and is `replaced` if its nonce is used by ' +
        'another transaction.',
      next: ['broadcast', 'mined', 'replaced'],
    },
    broadcast: {
      about:
        'A node has the bytes; the batch waits for a block, with fee bumps. Success leads to `mined`. It is ' +
        '`replaced` when a finalized block has another transaction under its nonce, or its bytes can never be ' +
        'mined.',
      next: ['mined', 'replaced'],
    },
    mined: {
      about:
        'The batch is in a block and its results are recorded; it waits until the block is final. A reorg that ' +
        'removes the block makes it `broadcast` again.',
      next: ['finalized', { to: 'broadcast', only: 'reorg' }],
    },
    finalized: {
      about: 'The block is final, and the results of all its payments with it.',
      next: [],
    },
    replaced: {
      about:
        'The batch can never be mined and its payments are queued again. On Solana a payment signs to the same ' +
        'bytes again: then the batch is `signed` again under a new nonce.',
      next: ['signed'],
    },
    dropped: {
      about: 'The batch was certainly never sent, and its nonce is free again. No statement writes it.',
      next: [],
    },
  },
});

export const BATCH_STATUS = statusNames(BATCH_TRANSITIONS);
export type BatchStatus = StatusOf<typeof BATCH_TRANSITIONS>;

/** The result is not known yet. */
export const PENDING_BATCH = [BATCH_STATUS.signed, BATCH_STATUS.broadcast] as const;

/** The relayer's key may still be needed for the batch. */
export const UNFINISHED_BATCH = [BATCH_STATUS.signed, BATCH_STATUS.broadcast, BATCH_STATUS.mined] as const;

/** The transaction is in a block, and its results are recorded. */
export const RECORDED_BATCH = [BATCH_STATUS.mined, BATCH_STATUS.finalized] as const;

/** The batch has given its nonce back. */
export const GIVEN_UP_BATCH = [BATCH_STATUS.replaced, BATCH_STATUS.dropped] as const;

/** No reorg and no node changes the batch any more. */
export const ENDED_BATCH = [BATCH_STATUS.finalized, BATCH_STATUS.replaced, BATCH_STATUS.dropped] as const;
