// Reads for the ledger checks: one snapshot of the database, in pages. Nothing here writes.
import type { IntentStatus, PaymentStatus } from '@svc-pay/protocol';
import type { Mode } from '../account/mode.ts';
import type { BatchStatus } from '../lane/batch-transitions.ts';
import type { SettlementStatus } from '../settlement/settlement-transitions.ts';
import type { StrandedStatus } from '../stranded/stranded-transitions.ts';
import type { OverviewComparison } from './check-overview.ts';
import type { LedgerEntry } from './ledger-entry.ts';

export type BookedEntry = Pick<
  LedgerEntry,
  'accountName' | 'party' | 'amountAtomic' | 'transactionId' | 'logIndex' | 'asset'
> & { readonly id: string; readonly network: string; readonly reverses: string | null };

/** A completed refund. */
export type BookedRefund = {
  readonly id: string;
  readonly amountAtomic: bigint;
  readonly wallet: string;
  readonly recipient: string;
  readonly transactionId: string;
  readonly logIndex: number;
  /** A log proof at this position names the refund. */
  readonly proven: boolean;
};

/** A payment with every row that must agree with it. */
export type BookedPaymentRow = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly paymentId: string;
  readonly status: PaymentStatus;
  readonly network: string;
  readonly asset: string;
  readonly payer: string | null;
  /** The payer's nonce, 0x-hex in lower case. Null where no authorization of the payment is kept. */
  readonly nonce: string | null;
  readonly paidAtomic: bigint | null;
  readonly feeAtomic: bigint | null;
  readonly refundAtomic: bigint | null;
  /** Sum of its completed refunds, as the payment names it. */
  readonly refundedAtomic: bigint | null;
  readonly refunds: readonly BookedRefund[];
  readonly transactionId: string | null;
  /** `<transaction>:<log index>`. */
  readonly splitId: string | null;
  readonly intentId: string;
  readonly intent: { readonly status: IntentStatus; readonly code: bigint; readonly paymentId: string | null } | null;
  readonly settlement: {
    readonly status: SettlementStatus;
    readonly capAtomic: bigint;
    readonly settledAtomic: bigint;
    readonly payoutId: bigint | null;
    /** Null when the claim is missing. */
    readonly claimedBy: string | null;
    readonly batch: { readonly id: string; readonly status: BatchStatus; readonly transactionId: string } | null;
    /** The recipient is the merchant's wallet. */
    readonly direct: boolean;
    /** The foreign transaction that completed it; null when a lane did. */
    readonly foreignTransactionId: string | null;
  } | null;
  /** False for months whose settlements are already dropped. */
  readonly settlementKept: boolean;
  readonly terms: {
    readonly merchant: string;
    readonly feeBps: number;
    readonly splits: readonly { readonly to: string; readonly bps: number }[];
  } | null;
  /** Set when somebody else submitted the authorization: position of the token's transfer, and the action taken. */
  readonly strandedTransfer: {
    readonly action: string;
    readonly status: StrandedStatus;
    readonly transactionId: string;
    readonly logIndex: number;
    readonly batchId: string | null;
  } | null;
  /** The payment that the log proof at `splitId` names. Null: there is no proof, or it is of an unattributed receipt. */
  readonly provenPaymentId: string | null;
  /** Its claim and its proof are in the cell from which the account came, because a payment of another account has theirs here. */
  readonly leftBehind?: boolean;
  readonly entries: readonly BookedEntry[];
};

export type BookedLog = { readonly transactionId: string; readonly logIndex: number };

/**
 * `payment`: the log proves a payment. `unattributed`: it is an unattributed receipt. `read`: the chain reader has read
 * a log of its transaction and not applied it yet.
 */
export type BookedLogUse = BookedLog & { readonly use: 'payment' | 'unattributed' | 'read' };

/** An unattributed receipt. */
export type BookedReceipt = BookedLog & { readonly reason: string };

/** What a `PaymentReceived` says of whom it concerns. */
export type NamedReceipt = { readonly intentCode: bigint; readonly processor: string; readonly payoutId: bigint };

/** An authorization that was claimed or refused here. */
export type BookedAuthorization = {
  readonly claimKey: string;
  readonly recipient: string;
  readonly amountAtomic: bigint;
  readonly bound: boolean;
  /** A use at or before this block paid for something else, unless the nonce is bound. */
  readonly unusedAtBlock: bigint | null;
  /** Null for a refused authorization. */
  readonly payment: { readonly id: string; readonly status: PaymentStatus } | null;
};

/** A batch that a lane recorded as mined. */
export type BookedBatch = {
  readonly id: string;
  readonly relayer: string;
  readonly nonce: bigint;
  readonly transactionId: string;
  /** False when a version that did not book losses recorded the batch. */
  readonly gasBooked: boolean;
  /** Sum of the batch's rows in `svc.gas_losses`. */
  readonly lostAtomic: bigint;
};

export type BookedRelayer = {
  readonly address: string;
  readonly firstNonce: bigint;
  readonly lastNonce: bigint;
  /** The highest nonce of a batch recorded as mined. */
  readonly lastMinedNonce: bigint | null;
  /** Nonces between the first and the last without a batch that may have used them; a sample. */
  readonly missing: readonly bigint[];
  readonly missingCount: number;
};

export type StrayRows = { readonly count: number; readonly ids: readonly string[] };

export type Books = {
  readonly payments: () => AsyncIterable<readonly BookedPaymentRow[]>;
  /** Payments of the intents with these codes. */
  readonly paymentsOfCodes: (codes: readonly bigint[]) => Promise<readonly BookedPaymentRow[]>;
  /** Payments with a stranded transfer. */
  readonly strandedTransfers: (network: string) => AsyncIterable<readonly BookedPaymentRow[]>;
  readonly minedBatches: (network: string) => AsyncIterable<readonly BookedBatch[]>;
  /** Blocks of the first and the newest batch recorded as mined. */
  readonly extent: (
    network: string,
  ) => Promise<{ readonly firstBlock: bigint; readonly lastBlock: bigint } | undefined>;
  readonly relayers: (network: string) => Promise<readonly BookedRelayer[]>;
  /** Payments that a log of these transactions proves. */
  readonly paymentsOfTransactions: (
    network: string,
    transactionIds: readonly string[],
  ) => Promise<readonly BookedPaymentRow[]>;
  /** Logs without a row are absent. */
  readonly logUses: (network: string, logs: readonly BookedLog[]) => Promise<readonly BookedLogUse[]>;
  readonly unattributedReceipts: (network: string) => AsyncIterable<readonly BookedReceipt[]>;
  /** Cursors of the chain reader: the last block that is read, by address in lower case. */
  readonly cursors: (network: string) => Promise<ReadonlyMap<string, bigint>>;
  /** Wallets of direct payouts, and the first block at which one of their authorizations was seen unused. */
  readonly directWallets: (network: string) => Promise<{
    readonly wallets: readonly { readonly wallet: string; readonly asset: string }[];
    readonly firstBlock: bigint | undefined;
  }>;
  /** By claim key in hex; keys that nobody claimed and nothing refused are absent. */
  readonly authorizations: (claimKeys: readonly string[]) => Promise<readonly BookedAuthorization[]>;
  /** Payments whose receipt only the merchant can call theirs or another's, oldest first. */
  readonly heldForMerchant: (network: string) => Promise<readonly string[]>;
  /** `svc.installation.id`. */
  readonly installation: () => Promise<string>;
  /** Of the receipts those whose intent code or payout is ours, by index. Others are of another installation. */
  readonly ownReceipts: (network: string, receipts: readonly NamedReceipt[]) => Promise<ReadonlySet<number>>;
  /** Entries of a payment that does not exist. */
  readonly strayEntries: () => Promise<StrayRows>;
  /** Rows of `svc.gas_losses` of a payment that does not exist, or that reverse a row and are not its opposite. */
  readonly strayLosses: () => Promise<StrayRows>;
  /** Completed intents whose payment does not exist. */
  readonly strayIntents: () => Promise<StrayRows>;
  /** Payments without an account: `payments` does not read them. */
  readonly strayPayments: () => Promise<StrayRows>;
  /** Log proofs of a payment that does not exist, that took no money, or that names another log. */
  readonly strayProofs: () => Promise<StrayRows>;
  /** Totals of refunds that differ from the refunds and the payment that they sum up. */
  readonly strayRefunds: () => Promise<StrayRows>;
  /** The figures of accounts beside the books. */
  readonly overview: () => Promise<OverviewComparison>;
};
