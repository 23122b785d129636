// What a lane asks of its chain. Trouble on the way to the chain throws `ChainUnavailable`: then nothing is known, and
// nothing is concluded.
import type { FlyingBatch, LaneItem, SignedTransaction } from './lane.ts';

export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable';
}

/** Why one payment would not, or did not, settle; only `settled` moves money. The processor's codes are places in this list. */
export const ITEM_OUTCOMES = [
  'settled',
  'payout_inactive',
  'amount_out_of_range',
  'intent_already_settled',
  'not_yet_valid',
  'expired',
  'nonce_not_bound',
  'malformed',
  'authorization_used',
  'insufficient_funds',
  'pull_refused',
  'nothing_arrived',
] as const;
export type ItemOutcome = (typeof ITEM_OUTCOMES)[number];

/**
 * Why a transaction as a whole would do nothing. `paused` and `not_allowed` hold for whatever the lane sends to that
 * processor; with the others fewer payments, or others, may pass.
 */
export type WholeRefusal = 'paused' | 'not_allowed' | 'over_cap' | 'not_enough_gas' | 'refused';

export type Rehearsal =
  /** One outcome per item, in their order. `unsure` where nodes contradict each other: it ends nothing. */
  | {
      readonly ok: true;
      readonly outcomes: readonly (ItemOutcome | 'unsure')[];
      readonly chainTimeSeconds: bigint;
    }
  /** Nobody's payment is to blame. */
  | {
      readonly ok: false;
      readonly cause: WholeRefusal;
      readonly reason: string;
      readonly chainTimeSeconds: bigint;
    };

/** The relayer's next nonce as the nodes tell it; they may be some blocks apart. */
export type NonceRange = { readonly lowest: bigint; readonly highest: bigint };

/** `known`: some node has it. `not_sent`: every node refused it and it can't be on its way. `unknown`: neither is sure. */
export type Broadcast =
  | { readonly outcome: 'known' | 'unknown' }
  | { readonly outcome: 'not_sent'; readonly reason: string };

/** A payment's part in a mined transaction, by its own event and the token's own transfer log. */
export type MinedItem =
  | {
      readonly paymentId: string;
      readonly outcome: 'settled';
      /** Of the processor's event that says so. */
      readonly logIndex: number;
      /** Of the token's transfer from the payer to the processor. */
      readonly transferLogIndex: number;
      readonly feeAtomic: bigint;
      /** Recipients whose part of this payment could not be delivered and is kept for them by the processor. */
      readonly escrowedFor: readonly string[];
    }
  | { readonly paymentId: string; readonly outcome: Exclude<ItemOutcome, 'settled'> | 'reverted' | 'no_evidence' };

export type MinedBatch = {
  readonly batchId: string;
  readonly transactionId: string;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  /** Blocks from its own up to the newest, both counted. */
  readonly confirmations: bigint;
  /** The transaction was mined and undone as a whole. */
  readonly reverted: boolean;
  /** What the relayer paid for it, in the chain's own coin. */
  readonly gasCostAtomic: bigint;
  /** Who gets the platform's fee. */
  readonly feeRecipient: string;
  /** One per item of the batch, in their order. */
  readonly items: readonly MinedItem[];
};

/** Made for one lane: it holds the network's nodes and the relayer's signer. */
export type LaneChain = {
  /**
   * Transactions die of age, not by another one under their nonce: nonces only count them, in no order, and
   * `findReplaced` is asked about every one that nobody has heard of.
   */
  readonly expiring?: true;
  /**
   * What of the queue goes into the next transaction: payments that can share one (same processor and token, room for
   * gas), from the head on, in the queue's order. At least one when the queue is not empty. `full` when it could take no
   * more.
   */
  readonly fit: (queue: readonly LaneItem[]) => { readonly items: readonly LaneItem[]; readonly full: boolean };
  /** Plays the transaction without sending it, against the latest block. */
  readonly rehearse: (items: readonly LaneItem[]) => Promise<Rehearsal>;
  /** Signs the transaction that carries exactly these items under this nonce. Sends nothing. */
  readonly sign: (items: readonly LaneItem[], nonce: bigint) => Promise<SignedTransaction>;
  /**
   * The same call under the same nonce for more money, enough for nodes to take it instead; undefined when it may not
   * cost more, or when, `behind` another one, its own offer is still good. Sends nothing.
   */
  readonly raise: (stuck: SignedTransaction, place: 'first' | 'behind') => Promise<SignedTransaction | undefined>;
  /** Whether the relayer's coins pay for all of these at their dearest. */
  readonly affords: (transactions: readonly SignedTransaction[]) => Promise<boolean>;
  /** Sends the bytes. Never throws for a node's trouble: that is `unknown`. */
  readonly broadcast: (raw: Uint8Array) => Promise<Broadcast>;
  /** Those of the batches that are mined by now. */
  readonly findMined: (batches: readonly FlyingBatch[]) => Promise<readonly MinedBatch[]>;
  /**
   * Those of the batches that can never be mined: a finalized block holds another transaction under their nonce, or is
   * past the last in which they could be. By the word of every node that answers.
   */
  readonly findReplaced: (batches: readonly FlyingBatch[]) => Promise<readonly string[]>;
  /** The relayer's next nonce by the latest block. */
  readonly minedNonce: () => Promise<bigint>;
  readonly nonceRange: () => Promise<NonceRange>;
};
