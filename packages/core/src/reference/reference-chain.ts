// Port of the reference reader to the nodes of one network. Everything that it tells is final for a quorum of nodes.
import type { NetworkId } from '@svc-pay/protocol';
import type { TokenMovement } from './token-movement.ts';

export type ListedTransaction = {
  readonly transactionId: string;
  /** By a quorum of nodes, of one that is agreed. */
  readonly slot: bigint;
  /** A quorum of nodes says that it failed: it was charged for and moved nothing. */
  readonly hasFailed: boolean;
  /** A quorum of nodes lists it, in the same slot. Otherwise a node may have made it up, or others hide it. */
  readonly isAgreed: boolean;
};

export type ListedTransactions = {
  /** Those that a quorum lists first; of these the oldest first. */
  readonly transactions: readonly ListedTransaction[];
  /** A quorum of nodes told all that they have. Otherwise an older one may be missing. */
  readonly isWhole: boolean;
  /** The reference is named by more transactions than are read at a time. */
  readonly isFlooded: boolean;
};

export type ReferredTransaction =
  | { readonly kind: 'moved'; readonly movement: TokenMovement }
  | { readonly kind: 'failed' }
  /** A quorum of nodes does not have it: another node made it up, or they are behind their own lists. */
  | { readonly kind: 'absent' }
  /** Nodes contradict each other, or too few answer. */
  | { readonly kind: 'unknown' };

/** The nodes that have reached a slot which is final for a quorum. */
export type ReferenceSight = {
  /** The transactions that name the reference, those after one transaction if it is given: the newest, on so many pages. */
  readonly list: (reference: string, after: string | null, pages: number) => Promise<ListedTransactions>;
  readonly read: (transactionId: string) => Promise<ReferredTransaction>;
};

export type ReferenceChain = {
  readonly network: NetworkId;
  /** The key of an intent, derived anew: whoever can only write to the database must not decide whose money an intent gets. */
  readonly referenceOf: (intentId: string) => Promise<string>;
  /** Throws `ChainUnavailable` where no node answers. */
  readonly look: () => Promise<ReferenceSight>;
};
