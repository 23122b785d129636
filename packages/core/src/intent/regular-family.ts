// What the regular flow leaves to the chain family: how a payer pays by transactions that he sends himself.

import type { RegularOption } from '@svc-pay/protocol';
import type { Caller } from '../account/authenticate.ts';
import { isoTime } from '../clock.ts';
import type { NetworkSetup } from '../payout/merchant-setup.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import type { Intent } from './intent.ts';
import type { Offer } from './offer-family.ts';
import type { PaidTerms } from './stored-acceptance.ts';

/** Flow of a stored acceptance. `regular` is never offered to be signed, and no header settles it. */
export type AcceptanceFlow = 'x402' | 'regular';

/** An acceptance that the payer may pay now. */
export type RegularWay = {
  readonly caller: Caller;
  readonly intent: Pick<Intent, 'id' | 'intentCode' | 'createdAtMs' | 'expectedSender'>;
  /** `amount` is what remains to be paid. */
  readonly terms: Pick<PaidTerms, 'network' | 'token' | 'payTo' | 'amount' | 'payoutId' | 'direct'>;
  /** Payments that are recorded for the intent, also those that do not count or were given back. */
  readonly payments: number;
  readonly setup: NetworkSetup;
  /** Payments of the intent that were claimed before; all of them have failed. */
  readonly attempt: number;
  /** Money in a block of this time or later does not pay the intent. */
  readonly endsAtMs: number;
  /** With which a wallet can add the chain. */
  readonly rpcUrlPublic: string | undefined;
  readonly requestUrlOf: RequestUrlOf;
};

/**
 * Address at which a wallet fetches the transaction that pays the intent in a token. It has a secret that pays; null where it
 * must not be handed on.
 */
export type RequestUrlOf = (tokenShortcode: string) => string | null;

/** What an option of every family tells. */
export const optionFields = ({ terms: { network, token, amount }, endsAtMs }: RegularWay) => ({
  network,
  token: token.address,
  tokenShortcode: token.shortcode,
  decimals: token.unit.decimals,
  amount: amount.toString(),
  expiresAt: isoTime(endsAtMs),
});

export type RegularFlow = {
  /** Whether the chain reader of the family's networks would look for a transaction of this name; absent where none does. */
  readonly namesTransaction?: (text: string) => boolean;
  /** Whether a payer of the networks can be this expected sender; absent where any text may name one. */
  readonly takesSender?: (expectedSender: string) => boolean;
  /**
   * Whether what is paid in this token is found by itself now; it never asks a chain. Absent where that needs nothing more
   * than the intent.
   */
  readonly isRead?: (token: TokenEntry) => Promise<boolean>;
  /** Set where a payment is a block of the token's ledger, which whoever paid can name. */
  readonly paysByBlock?: true;
  /** Recipient of the acceptance. */
  readonly payToOf: (offer: Pick<Offer, 'setup' | 'payout'>) => string;
  /** Undefined where the payer can't pay this acceptance by himself. No chain is asked. */
  readonly optionOf: (way: RegularWay) => RegularOption | undefined;
};
