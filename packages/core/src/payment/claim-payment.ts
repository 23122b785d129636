// Claims a verified authorization for an intent. After the claim we may settle the payer's signature, once: nothing is
// sent yet, and everything that settlement needs is stored.
import type { Authorization } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { SignedTransfer } from './signed-transfer.ts';

export type AuthorizationKind =
  | 'transfer_with_authorization'
  | 'receive_with_authorization'
  | 'permit'
  | 'solana_transaction'
  | 'solana_message';

/** What the payer signed, verified and in the form that is stored. */
export type PayerSignature = {
  readonly kind: AuthorizationKind;
  /** The signature was verified by a contract wallet. */
  readonly byContract: boolean;
  readonly authorization: Authorization;
  /** 0x-hex; for a signed transaction, all of its bytes. */
  readonly signature: string;
  /** Set where the transaction names its relayer: the data that it was prepared with. Only that relayer's lane takes it. */
  readonly transfer?: SignedTransfer;
};

/** A verified payment, ready to be claimed. */
export type VerifiedPayment = PayerSignature & {
  /** What makes the authorization unique on its chain; see `claimKey`. */
  readonly claimKey: Uint8Array;
  readonly acceptance: StoredAcceptance;
};

export type PaymentClaim = VerifiedPayment & {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly paymentId: Id<'payment'>;
  readonly nowMs: number;
};

export type ClaimOutcome =
  | { readonly outcome: 'claimed' }
  /** This authorization was claimed before for this intent: the first result stands. */
  | { readonly outcome: 'claimed_before'; readonly paymentId: Id<'payment'> | null }
  | { readonly outcome: 'bound_elsewhere' }
  /** Another payment has the intent, or the intent is no longer payable; no claim was taken. */
  | { readonly outcome: 'intent_taken' };

/**
 * One statement: the claim, the authorization, a pending payment, a queued settlement, and the intent `processing` with
 * this payment as its latest. All or nothing; a claim is unique over all accounts, for good.
 */
export type ClaimPayment = (claim: PaymentClaim) => Promise<ClaimOutcome>;
