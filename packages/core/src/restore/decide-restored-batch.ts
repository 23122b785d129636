// Decides what becomes of the batch of a transaction that the chain has. A batch is restored as it was just after it was
// sent, so that the lane's own steps find the transaction and record its result.
import { BATCH_STATUS, type BatchStatus, type GIVEN_UP_BATCH, PENDING_BATCH } from '../lane/batch-transitions.ts';
import { RELAYER_STATUS } from '../lane/relayer-transitions.ts';
import type { OnChainTransaction } from './on-chain-transaction.ts';

type StoredBatch = {
  readonly id: string;
  readonly status: Exclude<BatchStatus, (typeof GIVEN_UP_BATCH)[number]>;
  readonly transactionId: string;
};

/** Batches that were replaced or dropped are left out: their nonce is free for another batch. */
export type BatchFacts = {
  /** The batch that has the transaction. */
  readonly ofTransaction: StoredBatch | undefined;
  /** The batch under the transaction's nonce, with the intent codes of its payments. */
  readonly ofNonce: (StoredBatch & { readonly intentCodes: readonly bigint[] }) | undefined;
  /** Id of a batch that has the transaction and was replaced or dropped. */
  readonly givenUp?: string | undefined;
};

export type RestoredBatchStep =
  /** The database has the transaction. `recorded`: with its result. */
  | { readonly step: 'keep'; readonly batchId: string; readonly was: 'pending' | 'recorded' }
  /** The transaction is a fee bump of a stored batch. */
  | { readonly step: 'add_transaction'; readonly batchId: string }
  /** A new batch in status `RESTORED_BATCH`. The stored batch under the nonce can never be mined and is given up. */
  | { readonly step: 'create'; readonly giveUp: string | undefined }
  /** The batch was given up too early: it becomes `REVIVED_BATCH` under the transaction's nonce. */
  | { readonly step: 'revive'; readonly batchId: string; readonly giveUp: string | undefined }
  /** The database has a result of another transaction under the nonce. */
  | { readonly step: 'contradiction'; readonly reason: string };

export function decideRestoredBatch(
  { nonce, relayer, transactionId, carried }: OnChainTransaction,
  { ofTransaction, ofNonce, givenUp }: BatchFacts,
): RestoredBatchStep {
  if (ofTransaction !== undefined) return { step: 'keep', batchId: ofTransaction.id, was: stateOf(ofTransaction) };
  if (ofNonce === undefined) return createOrRevive(givenUp, undefined);
  if (stateOf(ofNonce) === 'recorded')
    return {
      step: 'contradiction',
      reason: `nonce ${nonce} of ${relayer} is recorded as ${ofNonce.transactionId}, the chain has ${transactionId}`,
    };
  if (givenUp !== undefined) return createOrRevive(givenUp, ofNonce.id);
  // A fee bump carries the same payments.
  const called = new Set(carried.map(({ intentCode }) => intentCode));
  const { intentCodes } = ofNonce;
  const same = intentCodes.length > 0 && intentCodes.every((code) => called.has(code));
  return same ? { step: 'add_transaction', batchId: ofNonce.id } : { step: 'create', giveUp: ofNonce.id };
}

const createOrRevive = (givenUp: string | undefined, giveUp: string | undefined): RestoredBatchStep =>
  givenUp === undefined ? { step: 'create', giveUp } : { step: 'revive', batchId: givenUp, giveUp };

const stateOf = ({ status }: StoredBatch) => (PENDING_BATCH.some((one) => one === status) ? 'pending' : 'recorded');

/** Status of a batch that is created: the lane's steps look for its transaction, and broadcast it again if need be. */
export const RESTORED_BATCH = BATCH_STATUS.broadcast;

/** Status of a batch that is revived, as when a lane signs the same bytes again. */
export const REVIVED_BATCH = BATCH_STATUS.signed;

/** A lane never signs with a nonce that the chain has used; a nonce that the database has given out stays given out. */
export function raisedNonce(nextNonce: bigint, usedNonces: bigint): bigint {
  return usedNonces > nextNonce ? usedNonces : nextNonce;
}

/**
 * State of a relayer that began after the backup. The relayer takes no payments until an operator activates it, because
 * its key may be lost.
 */
export const LOST_LANE = { status: RELAYER_STATUS.draining, nextNonce: 0n } as const;
