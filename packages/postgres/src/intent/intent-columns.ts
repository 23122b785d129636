// Columns of a new intent and of the rows that are written with it, for statements that record many intents.
import { type AcceptanceRecord, type EventDraft, type IntentRecord, isoTime } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type { Columns } from '../database/statement-parameters.ts';
import { storedServiceMetadata } from './service-metadata.ts';

/** An intent with the one event that announces it. */
export type NewIntent = Pick<IntentRecord, 'intent'> & { readonly event: EventDraft };

export const INTENT_COLUMNS = {
  account_id: ['text', ({ intent }) => intent.accountId],
  mode: ['text', ({ intent }) => intent.mode],
  created_at: ['timestamptz', ({ intent }) => isoTime(intent.createdAtMs)],
  id: ['text', ({ intent }) => intent.id],
  intent_code: ['bigint', ({ intent }) => intent.intentCode],
  status: ['text', ({ intent }) => intent.status],
  x402_upto: ['boolean', ({ intent }) => intent.upto],
  amount: ['numeric', ({ intent }) => intent.amount.toString()],
  ledger_id: ['text', ({ intent }) => intent.ledgerId],
  network: ['text', ({ intent }) => intent.network],
  token_shortcode: ['text', ({ intent }) => intent.tokenShortcode],
  amount_usd_atto: ['numeric', ({ intent }) => intent.amountUsd?.toString() ?? null],
  description: ['text', ({ intent }) => intent.description],
  resource: ['text', ({ intent }) => intent.resource],
  mime_type: ['text', ({ intent }) => intent.mimeType],
  expected_sender: ['text', ({ intent }) => intent.expectedSender],
  payer_public_key: ['text', ({ intent }) => intent.payerPublicKey],
  metadata: ['text', ({ intent }) => JSON.stringify(intent.metadata)],
  service_metadata: ['jsonb', ({ intent }) => storedServiceMetadata(intent)],
  expires_at: ['timestamptz', ({ intent }) => isoTime(intent.expiresAtMs)],
  confirmations: ['integer', ({ intent }) => intent.confirmations],
} as const satisfies Columns<NewIntent>;

export const EVENT_COLUMNS = {
  event_id: ['text', ({ event }) => event.id],
  event_type: ['text', ({ event }) => event.type],
  request_id: ['text', ({ event }) => event.requestId],
  api_version: ['text', ({ event }) => event.apiVersion],
  body_before: ['text', ({ event }) => event.bodyBefore],
  body_after: ['text', ({ event }) => event.bodyAfter],
} as const satisfies Columns<NewIntent>;

type OfIntent = Pick<IntentRecord, 'intent'>;

const OWNER_COLUMNS = {
  account_id: ['text', ({ intent }) => intent.accountId],
  mode: ['text', ({ intent }) => intent.mode],
  intent_id: ['text', ({ intent }) => intent.id],
} as const satisfies Columns<OfIntent>;

type OfferedRow = OfIntent & AcceptanceRecord & { readonly position: number };

export const ACCEPTANCE_COLUMNS: Columns<OfferedRow> = {
  ...OWNER_COLUMNS,
  position: ['integer', ({ position }) => position],
  scheme: ['text', ({ acceptance }) => acceptance.scheme],
  network: ['text', ({ acceptance }) => acceptance.network],
  token_shortcode: ['text', ({ offer }) => offer.token.shortcode],
  asset: ['text', ({ offer }) => offer.token.address],
  pay_to: ['text', ({ acceptance }) => acceptance.payTo],
  amount: ['numeric', ({ acceptance }) => acceptance.maxAmountRequired],
  payout_id: ['bigint', ({ offer }) => offer.payout.payoutId.toString()],
  max_timeout_seconds: ['integer', ({ acceptance }) => acceptance.maxTimeoutSeconds ?? null],
  usd_per_token_atto: ['numeric', ({ offer }) => offer.rate.usdPerToken.toString()],
  rate_source: ['text', ({ offer }) => offer.rate.source],
  rate_observed_at: ['timestamptz', ({ offer }) => isoTime(offer.rate.observedAtMs)],
  body: ['text', ({ acceptance }) => JSON.stringify(acceptance)],
  confirmations: ['integer', ({ offer }) => offer.confirmations],
  minimum_usd_micros: ['bigint', ({ offer }) => offer.minimumUsdMicros?.toString() ?? null],
  price_ends_at: ['timestamptz', ({ offer }) => (offer.priceEndsAtMs === null ? null : isoTime(offer.priceEndsAtMs))],
  flow: ['text', ({ flow }) => flow ?? 'x402'],
};

export const METADATA_COLUMNS: Columns<OfIntent & { readonly digest: Uint8Array }> = {
  ...OWNER_COLUMNS,
  digest: ['bytea', ({ digest }) => Buffer.from(digest)],
};

export const AUDIT_COLUMNS: Columns<OfIntent & { readonly keyId: string }> = {
  ...OWNER_COLUMNS,
  id: ['text', ({ intent }) => newId('audit', intent.createdAtMs)],
  actor: ['text', ({ keyId }) => `key:${keyId}`],
  created_at: ['timestamptz', ({ intent }) => isoTime(intent.createdAtMs)],
};
