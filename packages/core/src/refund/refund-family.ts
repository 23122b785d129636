// What refunds leave to the chain family of a payment: who can receive, whether a refund was made already, what the
// merchant's wallet signs, and whether it signed it. Calls throw `ChainUnavailable` when the chain can't be reached.
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { RefundSign } from '@svc-pay/protocol/merchant';
import type { RefundNonceTerms } from '@svc-pay/protocol/refund-nonce';
import type { Caller } from '../account/authenticate.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import type { StoredRefund } from './refund.ts';
import type { RefundToPrepare, SubmittedRefund } from './refund-store.ts';

export type RefundRefusal = Extract<ErrorCode, `refund_${string}`>;

/** A nonce of a refund, with the wallet that would have signed it. */
export type RefundNonce = { readonly wallet: string; readonly sequence: number; readonly nonce: string };

/** A refund to be signed. */
export type RefundDraft = {
  readonly id: Id<'refund'>;
  readonly caller: Pick<Caller, 'accountId' | 'mode'>;
  readonly token: TokenEntry;
  readonly recipient: string;
  readonly amountAtomic: bigint;
  /** What `nonce` is computed from. */
  readonly terms: RefundNonceTerms;
  readonly nonce: string;
};

export type DraftedRefund =
  | ({ readonly ok: true; readonly sign: RefundSign } & Pick<
      RefundToPrepare,
      'validAfterSeconds' | 'validBeforeSeconds' | 'transfer' | 'expiresAtMs'
    >)
  | { readonly ok: false; readonly code: RefundRefusal };

/** What the wallet returned, as it was submitted: a signature in 0x-hex, or a transaction in base64. */
export type WalletAnswer = { readonly signature?: string | undefined; readonly transaction?: string | undefined };

export type VerifiedRefund =
  | { readonly ok: true; readonly submitted: SubmittedRefund }
  /** `refund_found_on_chain`: the wallet signed it, and its nonce is used already. */
  | { readonly ok: false; readonly code: RefundRefusal };

export type RefundFamily = {
  readonly owns: (network: NetworkId) => boolean;
  readonly kind: RefundToPrepare['kind'];
  /** False for a token that can't be refunded by signature. */
  readonly signs: (token: TokenEntry) => boolean;
  /** True for text that is an address of the chain. */
  readonly isAddress: (text: string) => boolean;
  readonly isTransactionId: (text: string) => boolean;
  /** Whether the payer can be paid in this token now. */
  readonly canReceive: (token: TokenEntry, payer: string, byContract: boolean) => Promise<boolean>;
  /** The first of the nonces that was used: a refund that was made, or given up by its wallet. */
  readonly findUsed: (token: TokenEntry, nonces: readonly RefundNonce[]) => Promise<RefundNonce | undefined>;
  /** Plays the transfer, so that nobody signs one that the token refuses. */
  readonly draft: (draft: RefundDraft, nowMs: number) => Promise<DraftedRefund>;
  /** The bytes to be stored; undefined when the answer is not of this family. No chain is asked. */
  readonly read: (answer: WalletAnswer) => string | undefined;
  /** Whether the wallet signed exactly this refund, and the chain would carry it out now. */
  readonly verify: (refund: StoredRefund, token: TokenEntry, answer: WalletAnswer) => Promise<VerifiedRefund>;
};
