// Database ports of refunds: of the API, which prepares and submits them, and of the watcher, which decides them from final
// logs.
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { JudgedRefund, RefundablePayment } from './judge-refund.ts';
import type { RefundKind, ReportedTransfer, StoredRefund } from './refund.ts';

export type RefundCaller = Pick<Caller, 'accountId' | 'mode'> & Audited;

/** Who did it, for the audit record; absent where nobody asked for it. */
type Audited = Partial<Pick<Caller, 'keyId'>>;

/** A refund with its terms, before the merchant's wallet signs. */
export type RefundToPrepare = Pick<
  StoredRefund,
  | 'id'
  | 'accountId'
  | 'mode'
  | 'paymentId'
  | 'wallet'
  | 'recipient'
  | 'validAfterSeconds'
  | 'validBeforeSeconds'
  | 'transfer'
  | 'reason'
> &
  Audited & {
    readonly kind: Exclude<RefundKind, 'reported'>;
    readonly sequence: number;
    readonly amountAtomic: bigint;
    /** 0x-hex, 32 bytes. */
    readonly nonce: string;
    readonly expiresAtMs: number;
  };

export type SubmittedRefund = {
  /** 0x-hex; for a Solana transaction, all of its bytes. */
  readonly signature: string;
  /** The signature was verified by a contract wallet. */
  readonly byContract: boolean;
};

export type RefundToReport = Pick<
  StoredRefund,
  'id' | 'accountId' | 'mode' | 'paymentId' | 'wallet' | 'recipient' | 'reason'
> &
  Audited & {
    readonly reported: ReportedTransfer;
    /** What to reserve until the transfer is proven; null: all that is left. */
    readonly amountAtomic: bigint | null;
  };

/** A refund that the chain shows and the database lost. */
export type FoundRefund = Pick<StoredRefund, 'id' | 'accountId' | 'mode' | 'paymentId' | 'wallet' | 'recipient'> & {
  readonly kind: Exclude<RefundKind, 'reported'>;
  readonly sequence: number;
  readonly nonce: string;
};

export type RefundAnswer = JudgedRefund<{ readonly refund: StoredRefund }>;

/** Every write is one transaction, and locks the totals of the payment where it reserves. */
export type RefundStore = {
  readonly loadRefundable: (caller: RefundCaller, paymentId: Id<'payment'>) => Promise<RefundablePayment | undefined>;
  /** Reserves nothing. `refund_superseded` when the sequence is taken: read the payment again. */
  readonly recordPrepared: (refund: RefundToPrepare, nowMs: number) => Promise<RefundAnswer>;
  /** Reserves the amount and queues the refund. The same signature again answers the refund as it is. */
  readonly submit: (
    caller: RefundCaller,
    refundId: Id<'refund'>,
    submitted: SubmittedRefund,
    nowMs: number,
  ) => Promise<RefundAnswer>;
  /** Reserves the amount, or all that is left. The same transfer again answers the refund as it is. */
  readonly recordReported: (refund: RefundToReport, nowMs: number) => Promise<RefundAnswer>;
  /** Reserves all that is left. The same sequence again answers the refund as it is. */
  readonly recordFound: (refund: FoundRefund, nowMs: number) => Promise<RefundAnswer>;
  readonly cancelPrepared: (caller: RefundCaller, refundId: Id<'refund'>, nowMs: number) => Promise<RefundAnswer>;
  readonly load: (caller: RefundCaller, refundId: Id<'refund'>) => Promise<StoredRefund | undefined>;
  /** At most 100 refunds of the payment, the newest first and canceled ones last; undefined when the account has no such payment. */
  readonly list: (caller: RefundCaller, paymentId: Id<'payment'>) => Promise<readonly StoredRefund[] | undefined>;
};

/** A queued or sent refund, with all that deciding it needs. */
export type OpenRefund = StoredRefund & {
  /** Position in page order, and in the queue of lanes. */
  readonly number: bigint;
  /** 0x-hex; null for a reported transfer, and for a refund that was found on chain. */
  readonly signature: string | null;
  readonly byContract: boolean;
  readonly batchId: string | null;
  /** Every transaction that was signed for it in its batch. */
  readonly signedTransactionIds: readonly string[];
  readonly payment: {
    readonly transactionId: string | null;
    readonly payer: string | null;
    /** The final block of our transaction that settled it, on Solana the slot; null where it is not stored. */
    readonly blockNumber: bigint | null;
  };
  /** Wallets from which a reported transfer counts. */
  readonly wallets: readonly string[];
  /** `svc.installation.id`, for `hasOwnNonce`. */
  readonly installation: string;
};

export type RefundKey = Pick<StoredRefund, 'accountId' | 'mode' | 'id'>;

/** The final log that proves the transfer. */
export type RefundEvidence = {
  readonly transactionId: string;
  readonly logIndex: number;
  readonly amountAtomic: bigint;
  readonly wallet: string;
  readonly recipient: string;
  /** What our relayer paid for the transaction; absent where somebody else sent it. */
  readonly gas?: { readonly relayer: string; readonly costAtomic: bigint };
};

/**
 * `completed_before`: nothing was written. `taken`: the log proves something else, and the refund is as it was. `exceeds`:
 * a reported transfer of more than is left, which proves no refund.
 */
export type RefundCompleted = 'completed' | 'completed_before' | 'taken' | 'exceeds';

export type RefundWatchStore = {
  /** Queued and sent refunds after that number, in its order. */
  readonly loadOpenRefunds: (network: NetworkId, afterNumber: bigint, limit: number) => Promise<readonly OpenRefund[]>;
  /** One transaction: the refund, its totals, the log proof, the entries, the payment and its events. */
  readonly complete: (refund: RefundKey, evidence: RefundEvidence, nowMs: number) => Promise<RefundCompleted>;
  /** Releases what was reserved. False when the refund is no longer open. */
  readonly fail: (refund: RefundKey, code: ErrorCode, nowMs: number) => Promise<boolean>;
  /** A sent refund without a pending batch is queued again. False when it is not such a refund. */
  readonly queueAgain: (refund: RefundKey, nowMs: number) => Promise<boolean>;
  /** Cancels prepared refunds that can no longer be submitted, at most a thousand; the number of them. */
  readonly cancelStale: (nowMs: number) => Promise<number>;
};
