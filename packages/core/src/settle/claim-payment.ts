// Taking a verified authorization for an intent. From here on the payer's signature is ours to settle, once: nothing has
// left the machine yet, and everything that settlement needs is stored.
import type { Authorization } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { SignedTransfer } from './signed-transfer.ts';
import type { StoredAcceptance } from './stored-acceptance.ts';

export type AuthorizationKind =
  | 'transfer_with_authorization'
  | 'receive_with_authorization'
  | 'permit'
  | 'solana_transaction'
  | 'solana_message';

export type PaymentClaim = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly paymentId: Id<'payment'>;
  /** What makes the authorization unique on its chain, see `claimKey`. */
  readonly claimKey: Uint8Array;
  readonly kind: AuthorizationKind;
  /** A contract wallet answered for the signature. */
  readonly byContract: boolean;
  readonly acceptance: StoredAcceptance;
  readonly authorization: Authorization;
  /** 0x-hex, as it was sent; of a signed transaction all of its bytes. */
  readonly signature: string;
  /** Of Solana: what the transaction was prepared with. Only that relayer's lane takes it. */
  readonly transfer?: SignedTransfer;
  readonly nowMs: number;
};

export type ClaimOutcome =
  | { readonly outcome: 'claimed' }
  /** This authorization was taken before for this intent: the first result stands. */
  | { readonly outcome: 'claimed_before'; readonly paymentId: Id<'payment'> | null }
  | { readonly outcome: 'bound_elsewhere' }
  /** Another payment holds the intent, or it ended meanwhile; no claim was taken. */
  | { readonly outcome: 'intent_taken' };

/**
 * One statement: the claim, the authorization, a pending payment, a queued settlement, and the intent `processing` with
 * this payment as its latest. All of it or nothing; unique over all tenants, for ever.
 */
export type ClaimPayment = (claim: PaymentClaim) => Promise<ClaimOutcome>;
