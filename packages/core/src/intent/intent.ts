// An intent as stored, and as shown on the wire.
import { type AtomicAmount, printUsd, type Usd, usdMicrosToJsonNumber, usdToMicros } from '@svc-pay/money';
import {
  type IntentSnapshot,
  type IntentStatus,
  type NetworkId,
  type PaymentIntent,
  UPTO_CAP_METADATA_KEY,
} from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { KeyKind } from '../account/api-key.ts';
import type { Mode } from '../account/mode.ts';
import { isoTime } from '../clock.ts';
import { dollarValue, rateOr } from '../token/dollar-value.ts';
import { findToken } from '../token/find-token.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export type Intent = {
  readonly id: Id<'paymentIntent'>;
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly intentCode: number;
  readonly status: IntentStatus;
  readonly upto: boolean;
  readonly amount: AtomicAmount;
  readonly tokenShortcode: string;
  readonly network: NetworkId;
  readonly ledgerId: string;
  readonly amountUsd: Usd | null;
  /** Set where tokens were asked for, and no dollars: `amountUsd` is what they were worth then. */
  readonly asksTokens?: true;
  readonly description: string | null;
  readonly resource: string | null;
  readonly mimeType: string | null;
  readonly expectedSender: string | null;
  readonly payerPublicKey: string | null;
  /** Payments of other amounts count towards it. */
  readonly hasParts?: true;
  /** The merchant's metadata, as submitted. */
  readonly metadata: JsonObject;
  /** The service's `svc_` keys; on output they override the merchant's. */
  readonly serviceMetadata: JsonObject;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Payer who signed the stored authorization of an up-to intent. */
  readonly confirmedPayer: string | null;
  /** Confirmations, its own block included, before a payment is completed. */
  readonly confirmations: number;
  /** Kind of the API key that created it; `x402`: by a seller's settle. Null where nobody recorded it. */
  readonly createdWith: KeyKind | 'x402' | null;
  /** Shortcodes of the tokens that it was offered in. Null where nobody recorded them. */
  readonly tokens: readonly string[] | null;
};

/** `viewer` is the kind of key that is answered. Receivers of events see what a secret key sees. */
export function intentView(intent: Intent, viewer: KeyKind): PaymentIntent {
  return {
    id: intent.id,
    accountId: intent.accountId,
    amount: intent.amount.toString(),
    ledgerCanisterId: intent.ledgerId,
    description: intent.description,
    expectedSenderPrincipal: intent.expectedSender,
    status: intent.status,
    intentCode: intent.intentCode,
    metadata: shownMetadata(intent, viewer),
    createdAt: isoTime(intent.createdAtMs),
    x402_upto: intent.upto,
    expiresAt: isoTime(intent.expiresAtMs),
    confirmations: intent.confirmations,
    amountUsd: dollarsOf(intent),
    ...additionsOf(intent),
  };
}

/** Object of `x402_upto_authorization_received`. `amountUsd` is a number for display; nothing is computed from it. */
export function snapshotView(intent: Intent): IntentSnapshot {
  return {
    id: intent.id,
    object: 'payment_intent',
    paymentIntentId: intent.id,
    status: intent.status,
    amount: intent.amount.toString(),
    amountUsd: intent.amountUsd === null ? null : usdMicrosToJsonNumber(usdToMicros(intent.amountUsd, 'down')),
    ledgerCanisterId: intent.ledgerId,
    payer: intent.confirmedPayer,
    metadata: shownMetadata(intent, 'secret'),
    intentCode: intent.intentCode,
    ...additionsOf(intent),
  };
}

const additionsOf = ({ tokens, createdWith }: Intent): Pick<PaymentIntent, 'tokens' | 'createdWith'> => ({
  tokens: tokens && [...tokens],
  createdWith,
});

/** What the merchant asked for; of an intent that was made from chain data, what a token with a fixed price is worth. */
function dollarsOf({ amountUsd, amount, tokenShortcode }: Intent): string | null {
  if (amountUsd !== null) return printUsd(amountUsd);
  const unit = findToken(tokenShortcode)?.unit;
  const rate = rateOr(null, tokenShortcode);
  const worth = unit === undefined || rate === null ? null : dollarValue(unit, amount, rate);
  return worth === null ? null : printUsd(worth);
}

/** The dollars that were asked for; null where tokens were. */
export function askedDollars({ amountUsd, asksTokens }: Pick<Intent, 'amountUsd' | 'asksTokens'>): Usd | null {
  return asksTokens === true ? null : amountUsd;
}

/** A confirmed up-to intent has its cap among the service's keys. */
export function isConfirmed(intent: Intent): boolean {
  return Object.hasOwn(intent.serviceMetadata, UPTO_CAP_METADATA_KEY);
}

/** A publishable key is public: it sees what a publishable key wrote, and the service's own keys. */
export function shownMetadata(
  { metadata, serviceMetadata, createdWith }: Pick<Intent, 'metadata' | 'serviceMetadata' | 'createdWith'>,
  viewer: KeyKind,
): Record<string, unknown> {
  const isShown = viewer === 'secret' || createdWith === 'publishable';
  return { ...(isShown && metadata), ...serviceMetadata };
}
