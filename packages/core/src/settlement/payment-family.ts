// What settle leaves to the chain family of a payment: EVM or Solana, each implemented by its own package. A payer signs
// an authorization, or, where the family takes them, a whole transaction.
import type { Authorization, NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { OfferFamily } from '../intent/offer-family.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { PayerSignature } from '../payment/claim-payment.ts';
import type { SignedTransfer } from '../payment/signed-transfer.ts';
import type { VerifiedTerms } from '../payment/verify-terms.ts';
import type { StoredPayout } from './transfer-stores.ts';

export type PaymentFamily = OfferFamily & {
  /** The part of an authorization that the chain keeps unique, for `claimKey`. */
  readonly uniquePartOf: (terms: VerifiedTerms) => string;
  /** Asks the chain. Never throws when the chain can't be reached. */
  readonly verifyAuthorization: (terms: VerifiedTerms, context: HeaderContext) => Promise<AuthorizationVerdict>;
  /** Absent where payers sign authorizations only. */
  readonly transactions?: TransactionPayments;
};

/** A family in which the payer may sign a whole transaction that the service prepares. */
export type TransactionFamily = PaymentFamily & { readonly transactions: TransactionPayments };

export function takesTransactions(family: PaymentFamily): family is TransactionFamily {
  return family.transactions !== undefined;
}

export type TransactionPayments = {
  /** Undefined when the transaction can't be decoded. No chain is asked. */
  readonly read: (transaction: string) => SubmittedTransfer | undefined;
  /** Checks the bytes, then asks the chain. Never throws when the chain can't be reached. */
  readonly verify: (submitted: TransferToVerify) => Promise<TransferVerdict>;
  /** Stores the transaction before it answers. An unreachable chain gives `chain_unavailable`, never a throw. */
  readonly prepare: (wanted: TransferToPrepare) => Promise<PreparedTransferAnswer>;
  /** Prepares a text; same contract as `prepare`. */
  readonly prepareText: (wanted: TransferToPrepare) => Promise<SignableAnswer>;
  /**
   * A transaction that the payer signs and sends by himself, with his own gas. It is found by its reference, which `open` has
   * stored before the answer. An unreachable chain gives `chain_unavailable`, never a throw.
   */
  readonly request: (wanted: TransferToRequest) => Promise<RequestedTransfer>;
  /** What a stock client builds its own transaction from; undefined where it could sign none that we take. */
  readonly stockTransfer: (
    context: HeaderContext,
    acceptance: Pick<StoredAcceptance, 'network' | 'payTo' | 'payoutId'>,
  ) => Promise<StockTransfer | undefined>;
  /** The relayer that a stock client names when it signs for a seller; undefined while none can pay on the network. */
  readonly feePayer: (caller: Caller, network: NetworkId) => Promise<string | undefined>;
  /** The wallet that one transfer of the whole amount pays; undefined where others get a share of the payout. */
  readonly soleRecipient: (payout: Omit<StoredPayout, 'feeRecipient'>) => string | undefined;
};

/** The caller and the intent of a header. */
export type HeaderContext = { readonly caller: Caller; readonly intentId: Id<'paymentIntent'> };

export type AuthorizationVerdict =
  | { readonly ok: true; readonly signed: PayerSignature }
  /**
   * `chain_unavailable`: nothing is known, so nothing is refused. `signed`: a direct payment, validly signed by a wallet that
   * does not have the money now.
   */
  | { readonly ok: false; readonly code: ErrorCode; readonly signed?: PayerSignature };

/** A signed transaction as it reads; `messageHash` (hex) makes it unique on its chain. */
export type SubmittedTransfer = { readonly payer: string; readonly messageHash: string };

export type TransferToVerify = HeaderContext & {
  /** Acceptances that the transaction may pay; at least one. */
  readonly acceptances: readonly StoredAcceptance[];
  /** Base64, as submitted. */
  readonly transaction: string;
  /** Absent: the memo must name the intent. */
  readonly memo?: ForeignMemo;
};

/** Memo of a transaction that was signed for a seller's requirements, before we had an intent. */
export type ForeignMemo = {
  /** Null: the requirements ask for none, so the client chose one or none. */
  readonly required: string | null;
};

export type TransferVerdict =
  | { readonly ok: true; readonly acceptance: StoredAcceptance; readonly signed: PayerSignature }
  /** `detail` names the flaw and never contains submitted data. */
  | { readonly ok: false; readonly code: ErrorCode; readonly detail?: string };

export type TransferToPrepare = HeaderContext & {
  readonly acceptance: Pick<StoredAcceptance, 'position' | 'network' | 'token' | 'payTo' | 'amount' | 'payoutId'>;
  readonly payer: string;
};

export type TransferToRequest = TransferToPrepare & {
  /** Stores the reference of the intent. Returns the fee recipient of the earlier requests, if there were any. */
  readonly open: (reference: string, feeRecipient: string) => Promise<string>;
};

export type RequestedTransfer =
  /** `wire`: the transaction with an empty slot for the payer's signature, the only one that it needs. */
  { readonly ok: true; readonly wire: Uint8Array } | { readonly ok: false; readonly code: ErrorCode };

/** Fee payer and memo of a transaction that a stock client builds for an intent. */
export type StockTransfer = { readonly feePayer: string; readonly memo: string };

/** A transaction prepared for a wallet to sign. */
export type PreparedTransaction = {
  readonly payer: string;
  readonly network: NetworkId;
  /** Position of the acceptance that it pays. */
  readonly position: number;
  readonly transfer: SignedTransfer;
  readonly messageHash: string;
  /** Transaction bytes with empty slots for both signatures; for a text, the text itself. */
  readonly wire: Uint8Array;
};

export type PreparedTransferAnswer =
  /** `expiresAtMs`: until when a payer may count on it; a little earlier than the chain's own limit. */
  | { readonly ok: true; readonly prepared: PreparedTransaction; readonly expiresAtMs: number }
  | { readonly ok: false; readonly code: ErrorCode };

/** A text for a wallet to sign, and the authorization that its header must carry. */
export type SignableText = {
  readonly text: string;
  readonly authorization: Authorization;
  readonly relayer: string;
  readonly program: string;
  /** A transaction of the payer that approves the program; null where the approved amount is enough. */
  readonly setup: Uint8Array | null;
};

export type SignableAnswer =
  | { readonly ok: true; readonly signable: SignableText }
  | { readonly ok: false; readonly code: ErrorCode };
