// A new intent in one statement: the intent, its code, its acceptances, its event with deliveries and, when the caller
// sent a key, the answer to repeat. A key that is taken writes nothing.
import type { IntentRecord, Recorded } from '@svc-pay/core';
import type pg from 'pg';
import { answerColumns, recallAnswer } from './stored-answers.ts';
import { eventExpressions, eventRows } from './write-events.ts';

const CLAIM = `
  gate as (
    insert into svc.idempotency (
      account_id, mode, created_at, key, request_hash, response_status, response_headers, response_body
    )
    values ($1, $2, $19, $24, $25, $26, $27, $28)
    on conflict do nothing
    returning 1
  )`;
const OPEN = 'gate as (select 1)';

const statement = (gate: string) => `
  with ${gate},
  written_intent as (
    insert into svc.intents (
      account_id, mode, id, intent_code, status, x402_upto, amount, ledger_id, network, token_shortcode, amount_usd_atto,
      description, resource, mime_type, expected_sender, payer_public_key, metadata, expires_at, created_at, updated_at,
      event_sequence, service_metadata
    )
    select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $19, $20, $23::jsonb
    from gate
  ),
  written_code as (
    insert into svc.intent_codes (intent_code, account_id, mode, intent_id) select $4, $1, $2, $3 from gate
  ),
  written_acceptance as (
    insert into svc.acceptances (
      account_id, mode, intent_id, position, scheme, network, token_shortcode, asset, pay_to, amount, payout_id,
      max_timeout_seconds, usd_per_token_atto, rate_source, rate_observed_at, body
    )
    select $1, $2, $3, position, scheme, network, token_shortcode, asset, pay_to, amount, payout_id,
      max_timeout_seconds, usd_per_token_atto, rate_source, rate_observed_at, body
    from json_to_recordset($21) as (
      position smallint, scheme text, network text, token_shortcode text, asset text, pay_to text, amount numeric,
      payout_id bigint, max_timeout_seconds integer, usd_per_token_atto numeric, rate_source text,
      rate_observed_at timestamptz, body text
    ), gate
  ),
  ${eventExpressions('$22', 'gate')}
  select count(*)::integer as recorded from gate`;

const RECORD = { name: 'record-intent', text: statement(OPEN) };
const RECORD_ONCE = { name: 'record-intent-once', text: statement(CLAIM) };

export async function recordIntent(pool: pg.Pool, record: IntentRecord): Promise<Recorded> {
  const { intent, idempotency } = record;
  if (idempotency === null) {
    await pool.query({ ...RECORD, values: valuesOf(record) });
    return { outcome: 'recorded' };
  }
  const values = [...valuesOf(record), ...answerColumns(idempotency)];
  const { rows } = await pool.query<{ recorded: number }>({ ...RECORD_ONCE, values });
  if (rows[0]?.recorded === 1) return { outcome: 'recorded' };
  const recalled = await recallAnswer(pool, intent, idempotency.claim);
  if (recalled === undefined) throw new Error('an idempotency key was taken and is gone again');
  return recalled;
}

function valuesOf({ intent, acceptances, events }: IntentRecord): unknown[] {
  return [
    intent.accountId,
    intent.mode,
    intent.id,
    intent.intentCode,
    intent.status,
    intent.upto,
    intent.amount.toString(),
    intent.ledgerId,
    intent.network,
    intent.tokenShortcode,
    intent.amountUsd?.toString() ?? null,
    intent.description,
    intent.resource,
    intent.mimeType,
    intent.expectedSender,
    intent.payerPublicKey,
    JSON.stringify(intent.metadata),
    new Date(intent.expiresAtMs),
    new Date(intent.createdAtMs),
    events.length,
    acceptanceRows(acceptances),
    eventRows(events),
    JSON.stringify(intent.serviceMetadata),
  ];
}

function acceptanceRows(acceptances: IntentRecord['acceptances']): string {
  return JSON.stringify(
    acceptances.map(({ acceptance, offer }, position) => ({
      position,
      scheme: acceptance.scheme,
      network: acceptance.network,
      token_shortcode: offer.token.shortcode,
      asset: offer.token.address,
      pay_to: acceptance.payTo,
      amount: acceptance.maxAmountRequired,
      payout_id: offer.payout.payoutId.toString(),
      max_timeout_seconds: acceptance.maxTimeoutSeconds,
      usd_per_token_atto: offer.rate.usdPerToken.toString(),
      rate_source: offer.rate.source,
      rate_observed_at: new Date(offer.rate.observedAtMs),
      body: JSON.stringify(acceptance),
    })),
  );
}
