// A transaction of a relayer whose lane has no nonces of the chain (Solana), read back from the chain only. It carries one
// payment: the payer signed the whole of it, and the relayer signed it because this service had verified it.
import type { NetworkId } from '@svc-pay/protocol';
import type { SignedTransfer } from '../payment/signed-transfer.ts';
import type { CarriedPayment } from './on-chain-transaction.ts';

/** Terms of a payout by which a transfer is divided. `feeRecipient` is the payout's processor in the database. */
export type TransferPayout = {
  readonly payoutId: bigint;
  readonly merchant: string;
  readonly feeRecipient: string;
  readonly feeBps: number;
  readonly splits: readonly { readonly to: string; readonly bps: number }[];
};

/** The chain says neither the intent's code nor the payout; the memo may name the intent's id. */
export type CarriedTransfer = Omit<
  CarriedPayment,
  'intentCode' | 'direct' | 'payoutId' | 'processor' | 'validBeforeSeconds'
> & {
  /** Undefined where the nodes do not tell the time of the block. */
  readonly validBeforeSeconds: bigint | undefined;
  /** Null for a memo that names no intent: the payer signed before there was one. */
  readonly intentId: string | null;
  /** The fee recipient is that of the chosen payout. */
  readonly transfer: Omit<SignedTransfer, 'feeRecipient'>;
};

export type OnChainTransfer = {
  readonly network: NetworkId;
  readonly relayer: string;
  readonly transactionId: string;
  readonly raw: Uint8Array;
  readonly slot: bigint;
  readonly carried: CarriedTransfer;
  /** Every payout whose terms divide the money as the transaction does; at least one. */
  readonly payouts: readonly TransferPayout[];
};

/** What one successful transaction of a relayer is. */
export type TransferReading =
  | { readonly kind: 'payment'; readonly onChain: OnChainTransfer }
  /** A payment that no payout of the database fits: the payout was set after the backup. */
  | { readonly kind: 'payout_unknown'; readonly carried: CarriedTransfer; readonly slot: bigint }
  /** A payment by a signed text: its rows are not restored. */
  | { readonly kind: 'text_payment' }
  /** No node returns its bytes. */
  | { readonly kind: 'unread'; readonly reason: string }
  /** Somebody else's transaction that names the relayer, or one of the relayer that moves no payment. */
  | { readonly kind: 'other' };

/** Blocks are counted by height; a slot may have no block. */
export type TransferHeights = {
  /** Of any block that a node has. */
  readonly highest: bigint;
  /** Of the newest block that is final for every node, and its slot. */
  readonly finalized: bigint;
  readonly finalizedSlot: bigint;
};

/** Port of a restore to a chain whose transactions expire. Calls throw when the chain can't be read. */
export type TransferRestoreChain = {
  readonly readHeights: () => Promise<TransferHeights>;
  /**
   * Final and successful transactions that name the relayer, from the slot on, oldest first, as all nodes together tell
   * them. Throws `ChainUnavailable` when no node has all of them: back to `fromSlot`, and final up to `toSlot`.
   */
  readonly findTransactions: (relayer: string, fromSlot: bigint, toSlot: bigint) => Promise<readonly FoundTransfer[]>;
  /**
   * Whether the relayer has ever signed a payment, up to `toSlot`. `unknown`: no node has the history back to the first block,
   * or the history is too long to look for one.
   */
  readonly findAnyPayment: (relayer: string, toSlot: bigint) => Promise<'some' | 'none' | 'unknown'>;
  /** Of transactions that the relayer signed, in the order given. */
  readonly readTransfers: (
    relayer: string,
    found: readonly FoundTransfer[],
    payouts: readonly TransferPayout[],
  ) => Promise<readonly TransferReading[]>;
};

export type FoundTransfer = { readonly transactionId: string; readonly slot: bigint };

/** Blocks after which a transaction that was signed before can't land any more. */
export const LONGEST_LIFE_BLOCKS = 151n;
