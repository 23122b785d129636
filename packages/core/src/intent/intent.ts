// An intent as stored, and as shown on the wire.
import { type AtomicAmount, type Usd, usdMicrosToJsonNumber, usdToMicros } from '@svc-pay/money';
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
  readonly description: string | null;
  readonly resource: string | null;
  readonly mimeType: string | null;
  readonly expectedSender: string | null;
  readonly payerPublicKey: string | null;
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
  };
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
