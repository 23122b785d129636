// Port of a lane to its chain. Calls throw `ChainUnavailable` when the chain can't be reached: then nothing is known,
// and nothing may be concluded.
import type { LaneItem, PendingBatch, SignedTransaction } from './lane.ts';

export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable';
}

/** Outcome of one payment; only `settled` moves money. The processor's codes are indexes into this list. */
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
 * `unsure`: nodes contradict each other, and it decides no payment result. `withdrawn`: the signatures that activate the
 * payment's direct payout do not check, so the payment is not sent through it.
 */
export type SimulatedOutcome = ItemOutcome | 'unsure' | 'withdrawn';

/**
 * Why a whole transaction would do nothing. `paused` and `not_allowed` apply to every transaction of the lane to that
 * processor; after the others a batch of fewer or other payments may pass.
 */
export type WholeRefusal = 'paused' | 'not_allowed' | 'over_cap' | 'not_enough_gas' | 'refused';

/** `chainTimeSeconds` is the time of the latest block; the next one is expected `blockSeconds` later. */
export type SimulationResult =
  /** One outcome per item, in item order. */
  | {
      readonly ok: true;
      readonly outcomes: readonly SimulatedOutcome[];
      readonly chainTimeSeconds: bigint;
      readonly capRoomAtomic?: bigint | undefined;
      readonly blockSeconds?: bigint;
    }
  /** The transaction is refused as a whole, not because of one payment. */
  | {
      readonly ok: false;
      readonly cause: WholeRefusal;
      readonly reason: string;
      readonly chainTimeSeconds: bigint;
      /** Amount of the token left to the relayer under its hourly cap, by the latest block; absent without a cap. */
      readonly capRoomAtomic?: bigint | undefined;
      readonly blockSeconds?: bigint;
    };

/** The relayer's next nonce as the nodes answer; nodes may differ by some blocks. */
export type NonceRange = { readonly lowest: bigint; readonly highest: bigint };

/** `known`: a node has the transaction. `not_sent`: every node refused it, so it can't be mined. `unknown`: unsure. */
export type Broadcast =
  | { readonly outcome: 'known' | 'unknown' }
  | { readonly outcome: 'not_sent'; readonly reason: string };

/**
 * Outcome of one payment in a mined transaction, by the processor's event and the token's transfer log; of a direct
 * payment, by the token's logs alone.
 */
export type MinedItem =
  | {
      readonly paymentId: string;
      readonly outcome: 'settled';
      /** Log index of the processor's event for this payment; of a direct payment, of the token's transfer. */
      readonly logIndex: number;
      /** Log index of the token's transfer from the payer to the processor or to the merchant's wallet. */
      readonly transferLogIndex: number;
      readonly feeAtomic: bigint;
      /** Recipients whose share could not be delivered; the processor keeps it for them. */
      readonly escrowedFor: readonly string[];
    }
  | { readonly paymentId: string; readonly outcome: Exclude<ItemOutcome, 'settled'> | RevertOutcome | 'no_evidence' };

/**
 * Outcome of a payment whose transaction reverted as a whole. `reverted`: other payments were in it too, so nothing is
 * known about this one. `refused_for_now`: the processor was paused, or refused the relayer (hourly cap, role).
 * `reverted_alone`: the payment was the only one in the transaction, and the processor names no such reason.
 */
export type RevertOutcome = 'reverted' | 'refused_for_now' | 'reverted_alone';

export type MinedBatch = {
  readonly batchId: string;
  readonly transactionId: string;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  /** Blocks from its own up to the newest, both counted. */
  readonly confirmations: bigint;
  /** The transaction was mined and undone as a whole. */
  readonly reverted: boolean;
  /** Gas cost that the relayer paid, in the chain's own coin. */
  readonly gasCostAtomic: bigint;
  /** Recipient of the platform's fee; empty where no payment has a fee. */
  readonly feeRecipient: string;
  /** One per item of the batch, in their order. */
  readonly items: readonly MinedItem[];
};

/** A chain is made for one lane: it holds the network's nodes and the relayer's signer. */
type AnyLaneChain = {
  /** Plays the transaction against the latest block without sending it. */
  readonly simulate: (items: readonly LaneItem[]) => Promise<SimulationResult>;
  /** Signs the transaction of exactly these items under this nonce. Sends nothing. */
  readonly sign: (items: readonly LaneItem[], nonce: bigint) => Promise<SignedTransaction>;
  /** Whether the relayer's balance covers all of these at their highest fee. */
  readonly affords: (transactions: readonly SignedTransaction[]) => Promise<boolean>;
  /** Broadcasts the bytes. Never throws for a node's failure: that is `unknown`. */
  readonly broadcast: (raw: Uint8Array) => Promise<Broadcast>;
  /**
   * Returns the batches that are mined. A missing batch is not proven absent: nodes may contradict each other about it.
   */
  readonly findMined: (batches: readonly PendingBatch[]) => Promise<readonly MinedBatch[]>;
};

export type Fitting = {
  readonly items: readonly LaneItem[];
  /** Part of the transaction's room that the items take, by gas or by their number; 1 when no further payment fits. */
  readonly filled: number;
};

/**
 * EVM: nonces order the transactions of a relayer. A transaction carries many payments and may be replaced by another
 * under its nonce, so a fee bump is possible and a lost nonce stops all later ones.
 */
export type SequencedChain = AnyLaneChain & {
  readonly kind: 'sequenced';
  /**
   * Picks the payments of the next transaction from the head of the queue, in queue order: equal
   * `transactionKey`, room for gas. At least one when the queue is not empty.
   */
  readonly fit: (queue: readonly LaneItem[]) => Fitting;
  /**
   * Signs a fee bump that nodes accept as a replacement. Undefined when the fee is at its limit, when no block came
   * since the last signature, or when a transaction `behind` another still offers enough. Sends nothing.
   */
  readonly raise: (stuck: SignedTransaction, place: 'first' | 'behind') => Promise<SignedTransaction | undefined>;
  /**
   * Returns the ids of batches that can never be mined: a finalized block holds another transaction under their nonce.
   * Every node that answers must agree.
   */
  readonly findReplaced: (batches: readonly PendingBatch[]) => Promise<readonly string[]>;
  /** The relayer's next nonce by the latest block. */
  readonly minedNonce: () => Promise<bigint>;
  readonly nonceRange: () => Promise<NonceRange>;
};

/**
 * Solana: a transaction carries one payment, waits for no other, and expires with age. It is never replaced. Nonces
 * only count the transactions of a lane.
 */
export type ExpiringChain = AnyLaneChain & {
  readonly kind: 'expiring';
  /**
   * Returns the ids of batches that can never be mined: a finalized block is past the last block in which they are
   * valid. Every node that answers must agree.
   */
  readonly findExpired: (batches: readonly PendingBatch[]) => Promise<readonly string[]>;
};

export type LaneChain = SequencedChain | ExpiringChain;
