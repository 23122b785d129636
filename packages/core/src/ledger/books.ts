// Reads for the ledger checks: one snapshot of the database, in pages. Nothing here writes.
import type { IntentStatus, PaymentStatus } from '@svc-pay/protocol';
import type { Mode } from '../account/mode.ts';
import type { BatchStatus } from '../lane/batch-transitions.ts';
import type { SettlementStatus } from '../settlement/settlement-transitions.ts';
import type { StrandedStatus } from '../stranded/stranded-transitions.ts';
import type { LedgerEntry } from './ledger-entry.ts';

export type BookedEntry = Pick<
  LedgerEntry,
  'accountName' | 'party' | 'amountAtomic' | 'transactionId' | 'logIndex' | 'asset'
> & { readonly id: string; readonly network: string; readonly reverses: string | null };

/** A payment with every row that must agree with it. */
export type BookedPaymentRow = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly paymentId: string;
  readonly status: PaymentStatus;
  readonly network: string;
  readonly asset: string;
  readonly payer: string | null;
  readonly paidAtomic: bigint | null;
  readonly feeAtomic: bigint | null;
  readonly refundAtomic: bigint | null;
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
  readonly entries: readonly BookedEntry[];
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
  /** Entries of a payment that does not exist. */
  readonly strayEntries: () => Promise<StrayRows>;
  /** Rows of `svc.gas_losses` of a payment that does not exist, or that reverse a row and are not its opposite. */
  readonly strayLosses: () => Promise<StrayRows>;
  /** Completed intents whose payment does not exist. */
  readonly strayIntents: () => Promise<StrayRows>;
  /** Payments without an account: `payments` does not read them. */
  readonly strayPayments: () => Promise<StrayRows>;
};
