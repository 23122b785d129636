// What the contract suite of the apply store needs of a store under test.
import type { NetworkId } from '@svc-pay/protocol';
import type {
  ApplyStore,
  DirectStore,
  FinalityStore,
  Lane,
  LaneStore,
  MismatchPolicy,
  MoneyLog,
  RefundCaller,
  RefundStore,
  RefundWatchStore,
  StoredAcceptance,
  WalletUse,
} from '../index.ts';
import type { StoredRows } from './store-harness.ts';

export type OfferedIntent = {
  readonly intentId: string;
  readonly intentCode: bigint;
  /** The one acceptance of the intent. */
  readonly acceptance: StoredAcceptance;
};

export type OfferTerms = {
  /** Absent: through the processor. */
  readonly use?: WalletUse;
  readonly expiresInMs?: number;
  readonly priceEndsInMs?: number;
  readonly expectedSender?: string;
};

export type SignedHere = { readonly payer: string; readonly nonce: string; readonly claimKey: Uint8Array };

export type ApplyHarness = {
  readonly network: NetworkId;
  readonly lane: Lane;
  readonly settling: LaneStore;
  readonly finality: FinalityStore;
  readonly apply: ApplyStore;
  readonly direct: DirectStore;
  readonly refunds: RefundStore;
  readonly refundWatch: RefundWatchStore;
  /** The merchant to whom the intents belong. */
  readonly owner: RefundCaller;
  readonly nowMs: () => number;
  readonly offer: (terms?: OfferTerms) => Promise<OfferedIntent>;
  readonly claim: (
    intent: OfferedIntent,
    direct?: { readonly bound?: boolean; readonly atBlock?: bigint; readonly used?: boolean },
  ) => Promise<SignedHere & { readonly paymentId: string }>;
  /** The payer signed for the intent and was refused. `signed` refuses the same authorization for another intent. */
  readonly refuse: (
    intent: OfferedIntent,
    refused?: { readonly bound?: boolean; readonly atBlock?: bigint; readonly signed?: SignedHere },
  ) => Promise<SignedHere>;
  /** A bound nonce that nobody submitted to us. */
  readonly signBound: (intent: OfferedIntent) => Promise<SignedHere>;
  /** As the chain reader writes it. */
  readonly putLog: (log: MoneyLog) => Promise<void>;
  /** Of the owner. */
  readonly setPolicy: (policy: Partial<MismatchPolicy>) => Promise<void>;
  readonly cancelIntent: (intentId: string) => Promise<void>;
  readonly read: () => Promise<StoredRows>;
  readonly proofs: () => Promise<readonly StoredProof[]>;
  /** Read logs that are not applied. */
  readonly unapplied: () => Promise<number>;
  readonly logsRead: () => Promise<number>;
};

export type StoredProof = {
  readonly transaction: string;
  readonly logIndex: number;
  readonly payment: string | null;
  readonly reason: string | null;
};
