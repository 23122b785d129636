// Port of a restore to the database. A restore takes over every lane, so its writes name an epoch as a lane's do.
import type { NetworkId } from '@svc-pay/protocol';
import type { Lane } from '../lane/lane.ts';
import type { LaneLease, LaneStore } from '../lane/lane-store.ts';
import type { Stranding } from '../stranded/book-stranding.ts';
import type { RestoredPaymentOutcome } from './decide-restored-payment.ts';
import type { RecordedBlocks } from './first-block-to-read.ts';
import type { CarriedPayment, OnChainTransaction, ResolvedStranding } from './on-chain-transaction.ts';
import type { OnChainTransfer, TransferPayout } from './on-chain-transfer.ts';
import type { DirectWallet, NamedPayout } from './restore-chain.ts';

/**
 * What a restore of a network has to read, noted in the database until everything of it is in the books: whoever runs the
 * services in between moves the newest block that the database knows.
 */
export type OpenRestore = {
  /** Undefined when nobody knows it: then the next restore needs it from the operator, or chains with their whole history. */
  readonly fromBlock: bigint | undefined;
  /** Relayers that an operator named. The database may not have them. */
  readonly relayers: readonly string[];
};

export type LaneToRestore = Lane & { readonly duty: 'settle' | 'resolve_stranded'; readonly nextNonce: bigint };

export type RestoredPayment = {
  readonly outcome: RestoredPaymentOutcome;
  readonly intentId: string | null;
  readonly accountId: string | null;
  /** Why a payment was refused. */
  readonly reason?: string;
  /** The intent is a stand-in, made by this restore or an earlier one. */
  readonly standIn: boolean;
};

export type RestoredTransaction = {
  /** `missing`: the database had no batch for it. `recorded`: the batch's result was in the database already. */
  readonly batch: 'missing' | 'pending' | 'recorded';
  /** The payments that settled, in the order of the call. */
  readonly payments: readonly (RestoredPayment & { readonly carried: CarriedPayment })[];
};

export type StrandedClaim = {
  /** The stranding is recorded: its position is known. */
  readonly recorded: boolean;
  /** Undefined without a claim. */
  readonly claimedAtSeconds: bigint | undefined;
};

export type RestoredStranded =
  /** `payments`: the payment of a transfer that was settled. */
  ({ readonly ok: true } & RestoredTransaction) | { readonly ok: false; readonly reason: string };

export type RestoredTransfer = {
  /** `refused`: nothing was written. */
  readonly batch: RestoredTransaction['batch'] | 'refused';
  readonly payment: RestoredPayment & {
    /** Of the intent, as the database has it. */
    readonly intentCode: string | null;
    readonly payoutId: string | null;
  };
};

export type RestoreStore = {
  readonly loadLanes: (network: NetworkId) => Promise<readonly LaneToRestore[]>;
  /** Processors of the network's payouts, in lower case; a pending payout was not paid to yet. */
  readonly loadProcessors: (network: NetworkId) => Promise<readonly string[]>;
  /** Wallets of the network's direct payouts, in lower case. */
  readonly loadWallets: (network: NetworkId) => Promise<readonly DirectWallet[]>;
  readonly loadRecordedBlocks: (network: NetworkId) => Promise<RecordedBlocks>;
  /** Of an earlier restore that was cut off or left something open; undefined if there is none. */
  readonly loadOpenRestore: (network: NetworkId) => Promise<OpenRestore | undefined>;
  /** Notes it beside what is noted: the lower block, all relayers. Returns what is noted then. */
  readonly openRestore: (network: NetworkId, open: OpenRestore) => Promise<OpenRestore>;
  /** `read` is in the books: forgets what is noted if it is no more than that. Returns what stays noted. */
  readonly closeRestore: (network: NetworkId, read: OpenRestore) => Promise<OpenRestore | undefined>;
  /** The given payouts that the database does not have, each once. */
  readonly findUnknownPayouts: (network: NetworkId, payouts: readonly NamedPayout[]) => Promise<readonly NamedPayout[]>;
  /**
   * One transaction: intent codes go on under a new random prefix that `isUnusedPrefix` accepts. Returns the prefix.
   * Every call draws again, because the database may have been restored again since the last call.
   */
  readonly skipUsedIntentCodes: (usedCodes: readonly bigint[]) => Promise<number>;
  /**
   * Adds a relayer that began after the backup, with `LOST_LANE` as its state and the mode of the processor's payouts.
   * False when the database has the relayer, or no payout of the processor.
   */
  readonly addLostLane: (lane: Lane, processor: string, duty: LaneToRestore['duty']) => Promise<boolean>;
  /**
   * One transaction: the batch by `decideRestoredBatch`, each settled payment by `decideRestoredPayment`, and the
   * lane's next nonce by `raisedNonce`. A second call changes nothing. Undefined, with nothing written, after a take-over.
   * The transaction carries at least one payment.
   */
  readonly restoreTransaction: (
    lease: LaneLease,
    onChain: OnChainTransaction,
  ) => Promise<RestoredTransaction | undefined>;
  /** What the database has of an authorization whose money was stranded. */
  readonly findStrandedClaim: (claimKey: Uint8Array) => Promise<StrandedClaim>;
  /**
   * One transaction: the batch, the payment, and the stranded transfer in that batch, as they were when it was sent, by
   * `decideResolvedStranding`. `position` is needed where the stranding is not recorded. A transfer that is refused leaves
   * nothing behind. Undefined, with nothing written, after a take-over.
   */
  readonly restoreStranded: (
    lease: LaneLease,
    onChain: OnChainTransaction & { readonly resolved: ResolvedStranding },
    position: Stranding | undefined,
  ) => Promise<RestoredStranded | undefined>;
  /** The database has a batch of the transaction that was not given up: the lane records its result. */
  readonly hasTransaction: (network: NetworkId, transactionId: string) => Promise<boolean>;
  /** Every payout of a network whose payers sign whole transactions, whatever its status. */
  readonly loadTransferPayouts: (network: NetworkId) => Promise<readonly TransferPayout[]>;
  /**
   * One transaction: the batch, under the lane's next nonce, and its payment by `decideRestoredPayment`. A payment that is
   * refused leaves nothing behind, so that the next run decides again. Undefined, with nothing written, after a take-over.
   */
  readonly restoreTransfer: (lease: LaneLease, onChain: OnChainTransfer) => Promise<RestoredTransfer | undefined>;
  /** Nonces below `count` that no batch of the database has, from `from` on or from the lane's first batch if lower. */
  readonly findMissingNonces: (lane: Lane, from: bigint, count: bigint) => Promise<readonly bigint[]>;
  /**
   * Raises the lane's next nonce by `raisedNonce`, clears its obstacle and puts it to sleep. Returns the next nonce;
   * undefined after a take-over.
   */
  readonly liftLane: (lease: LaneLease, count: bigint) => Promise<bigint | undefined>;
};

/** What a restore uses of the lanes' own port: results are recorded by the lanes' steps, with the lanes' proofs. */
export type RestoreLaneStore = Pick<LaneStore, 'takeOver' | 'loadPendingBatches' | 'recordMined'>;
