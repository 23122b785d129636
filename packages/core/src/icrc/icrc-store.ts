// Ports of the token ledger reader, and of notify, to the database.
import type { NetworkId } from '@svc-pay/protocol';
import type { IcrcAccount } from '@svc-pay/protocol/icp';
import type { Id } from '@svc-pay/protocol/ids';
import type { Mode } from '../account/mode.ts';
import type { AppliedMovement } from '../reference/reference-store.ts';

/** What a ledger has told up to a block. */
export type LedgerCursor = {
  readonly network: NetworkId;
  readonly ledger: string;
  /** The first block that is not read. */
  readonly nextIndex: bigint;
  /** Hash of the block before it; null where that is not known. */
  readonly lastHash: Uint8Array | null;
};

export type StoredCursor = LedgerCursor & {
  /** The ledger's blocks do not continue what was read: nothing of them counts. */
  readonly isStopped: boolean;
  /** When the last reading began that reached the end of the ledger; null where none did. */
  readonly readAtMs: number | null;
};

/** What is known of a block without asking its ledger. */
export type KnownBlock =
  /** It counts for the intent. */
  | 'of_intent'
  /** It is for the intent and not applied. */
  | 'kept'
  /** It is of the intent’s memo, and so little that it is set aside. */
  | 'too_little'
  /** It is of the intent’s memo and was set aside for another reason: that is not judged anew. */
  | 'set_aside'
  | 'of_another_intent'
  | 'refund';

/** A block that somebody names for an intent. */
export type NamedForIntent = {
  readonly network: NetworkId;
  readonly ledger: string;
  readonly index: bigint;
  readonly intentId: Id<'paymentIntent'>;
  readonly intentCode: bigint;
  /** Accounts of that ledger where the intent may be paid. */
  readonly accounts: readonly IcrcAccount[];
};

/** A certified block that pays an intent by its memo. */
export type IcrcTransfer = {
  readonly network: NetworkId;
  readonly ledger: string;
  readonly index: bigint;
  readonly from: IcrcAccount;
  readonly to: IcrcAccount;
  readonly amountAtomic: bigint;
  readonly intentCode: bigint;
  readonly blockTimeMs: number;
};

export type DueIcrcTransfer = IcrcTransfer & { readonly tries: number };

export type ReadBlocks = Pick<LedgerCursor, 'nextIndex' | 'lastHash'> & {
  readonly transfers: readonly IcrcTransfer[];
  /** When the reading began, if it reached the end of the ledger; otherwise null. */
  readonly wholeSinceMs: number | null;
};

export type IcrcStore = {
  readonly loadCursor: (network: NetworkId, ledger: string) => Promise<StoredCursor | undefined>;
  /** When the first payout of the network was made; null where it has none. No money is older than that. */
  readonly loadBeginning: (network: NetworkId) => Promise<number | null>;
  /** Another process may have opened it: that cursor stays. */
  readonly openCursor: (cursor: LedgerCursor) => Promise<void>;
  /**
   * One transaction: keeps the transfers to accounts of payouts and moves the cursor from `cursor`. False, and nothing is
   * written, when the cursor is elsewhere. A cursor that stopped stays so unless a block was passed: an empty answer does not
   * show that the ledger continues what was read.
   */
  readonly moveCursor: (cursor: LedgerCursor, read: ReadBlocks, nowMs: number) => Promise<boolean>;
  /** The ledger's blocks do not continue what was read: the cursor stands since then. */
  readonly stopCursor: (cursor: LedgerCursor, nowMs: number) => Promise<void>;
  /** Keeps one transfer to an account of a payout; one that is kept already is left as it is. */
  readonly keep: (transfer: IcrcTransfer, nowMs: number) => Promise<void>;
  /** Undefined where no row tells what the block is for. */
  readonly findBlock: (block: NamedForIntent) => Promise<KnownBlock | undefined>;
  /** Transfers that are not applied and whose time has come, the longest overdue first. */
  readonly loadDue: (network: NetworkId, nowMs: number, limit: number) => Promise<readonly DueIcrcTransfer[]>;
  /**
   * One transaction: judges the transfer under the locks of the rows that it concerns, writes what it means and removes it
   * from those that are due, unless it waits. A block counts once, or is set aside for ever: applying it again changes
   * nothing, whatever intents were made since.
   */
  readonly apply: (transfer: IcrcTransfer, nowMs: number) => Promise<AppliedMovement>;
  /** The transfer could not be applied now. */
  readonly defer: (transfer: DueIcrcTransfer, nextTryAtMs: number) => Promise<void>;
  /** Where and how an intent may be paid; undefined for an intent that is not there. */
  readonly loadPayable: (asked: NotifiedIntent) => Promise<PayableIntent | undefined>;
};

export type NotifiedIntent = {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly intentId: Id<'paymentIntent'>;
};

export type PayableIntent = {
  readonly intentCode: bigint;
  /** One for each acceptance, of any network. */
  readonly ways: readonly { readonly network: NetworkId; readonly token: string; readonly payTo: string }[];
};
