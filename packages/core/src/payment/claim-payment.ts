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

export type DirectSignature = {
  /** The nonce commits to installation, mode, chain, token, wallet, amount and intent. */
  readonly bound: boolean;
  /**
   * A block at which the authorization was seen unused, or, if bound, used. Below the head by more than any reorg: a use
   * that a reorg brings into an earlier block still counts.
   */
  readonly atBlock: bigint;
  /** The token calls a bound authorization used: the chain reader completes it from the logs, and no lane sends it. */
  readonly used: boolean;
};

/** What the payer signed, verified and in the form that is stored. */
export type PayerSignature = {
  readonly kind: AuthorizationKind;
  /** The signature was verified by a contract wallet. */
  readonly byContract: boolean;
  /** Hash of the wallet's code, 0x-hex; of an account that delegates (EIP-7702), of the delegation. Absent for a key. */
  readonly codeHash?: string;
  readonly authorization: Authorization;
  /** 0x-hex; for a signed transaction, all of its bytes. */
  readonly signature: string;
  /** Set for an authorization that pays the merchant's wallet directly. */
  readonly direct?: DirectSignature;
  /** Set where the transaction names its relayer: the data that it was prepared with. Only that relayer's lane takes it. */
  readonly transfer?: SignedTransfer;
  /** What the payer had of the token when the chain was asked. Absent where the family does not tell; never stored. */
  readonly balance?: bigint;
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
  /** What the payer may have pending in the token, this payment included. Absent: any amount. */
  readonly unsettledLimit?: bigint;
  readonly nowMs: number;
};

export type ClaimOutcome =
  | { readonly outcome: 'claimed' }
  /** This authorization was claimed before for this intent: the first result stands. */
  | { readonly outcome: 'claimed_before'; readonly paymentId: Id<'payment'> | null }
  | { readonly outcome: 'bound_elsewhere' }
  /** Another payment has the intent, or the intent is no longer payable; no claim was taken. */
  | { readonly outcome: 'intent_taken' }
  /** The payer has too much pending; no claim was taken. */
  | { readonly outcome: 'payer_over_limit' };

/**
 * One statement: the claim, the authorization, a pending payment, a queued settlement, and the intent `processing` with
 * this payment as its latest. All or nothing; a claim is unique over all accounts, for good.
 */
export type ClaimPayment = (claim: PaymentClaim) => Promise<ClaimOutcome>;
