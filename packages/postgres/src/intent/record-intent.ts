// Records a new intent in one statement: the intent, its code, its acceptances, its event with deliveries, the metadata by
// which it is found, the audit entry of a person and, if the caller sent an idempotency key, the answer to replay. If the key
// is taken, nothing is written.
//
// Each number of acceptances has its own statement: passing acceptances as JSON costs a quarter more on both sides.
import { ENDPOINT_STATUS, type IntentRecord, isoTime, type Recorded } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { sqlIs } from '../database/status-sql.ts';
import { insertEvent } from '../event/insert-event.ts';
import { answerAt, answerValues, recallAnswer } from '../idempotency/stored-answers.ts';
import { storedServiceMetadata } from './service-metadata.ts';

const INTENT = namedParameters({
  account_id: 'text',
  mode: 'text',
  created_at: 'timestamptz',
  id: 'text',
  intent_code: 'bigint',
  status: 'text',
  x402_upto: 'boolean',
  amount: 'numeric',
  ledger_id: 'text',
  network: 'text',
  token_shortcode: 'text',
  amount_usd_atto: 'numeric',
  description: 'text',
  resource: 'text',
  mime_type: 'text',
  expected_sender: 'text',
  payer_public_key: 'text',
  metadata: 'text',
  service_metadata: 'jsonb',
  expires_at: 'timestamptz',
  confirmations: 'integer',
});
const EVENT = namedParameters(
  { id: 'text', type: 'text', request_id: 'text', api_version: 'text', body_before: 'text', body_after: 'text' },
  INTENT.next,
);
const acceptanceAt = (first: number) =>
  namedParameters(
    {
      position: 'integer',
      scheme: 'text',
      network: 'text',
      token_shortcode: 'text',
      asset: 'text',
      pay_to: 'text',
      amount: 'numeric',
      payout_id: 'bigint',
      max_timeout_seconds: 'integer',
      usd_per_token_atto: 'numeric',
      rate_source: 'text',
      rate_observed_at: 'timestamptz',
      body: 'text',
      confirmations: 'integer',
      minimum_usd_micros: 'bigint',
      price_ends_at: 'timestamptz',
      flow: 'text',
    },
    first,
  );
const listedAt = (first: number) => namedParameters({ digests: 'bytea[]' }, first);
const auditAt = (first: number) => namedParameters({ id: 'text', actor: 'text' }, first);
/** Used for the values of every acceptance: their order is the same. */
const ACCEPTANCE = acceptanceAt(EVENT.next);

const { account_id, mode, created_at, id: intent_id, intent_code } = INTENT.at;

type Statement = { readonly name: string; readonly text: string };
const statements = new Map<string, Statement>();

type Parts = { readonly acceptances: number; readonly listed: boolean; readonly audited: boolean };

function statementFor(parts: Parts, once: boolean): Statement {
  const { acceptances, listed, audited } = parts;
  const name = `record-intent-${acceptances}${listed ? '-listed' : ''}${audited ? '-audited' : ''}${once ? '-once' : ''}`;
  const known = statements.get(name);
  if (known !== undefined) return known;
  const statement = { name, text: textOf(parts, once ? answerGate : undefined) };
  statements.set(name, statement);
  return statement;
}

/**
 * SQL that returns one row if the intent is to be recorded and none otherwise. `at` has the intent's placeholders; the
 * gate's own begin at `next`.
 */
export type IntentGate = (at: typeof INTENT.at, next: number) => string;

/** The idempotency key must be new. */
const answerGate: IntentGate = (_, next) => {
  const answer = { account_id, mode, created_at, ...answerAt(next).at };
  return `${insertText('svc.idempotency', answer)} on conflict do nothing returning 1`;
};

/** A statement that records an intent if its gate gives a row. Its values are `intentValuesOnce`, then those of the gate. */
export function recordedOnce(name: string, acceptances: number, gate: IntentGate): Statement {
  return { name, text: textOf({ acceptances, listed: false, audited: false }, gate) };
}

function textOf({ acceptances, listed, audited }: Parts, gateOf: IntentGate | undefined): string {
  let next = EVENT.next;
  const written: string[] = [];
  const once = gateOf !== undefined;
  // With a gate every insert reads `from gate`.
  const fromGate = once ? 'from gate' : '';
  for (let index = 0; index < acceptances; index += 1) {
    const acceptance = acceptanceAt(next);
    const columns = { account_id, mode, intent_id, ...acceptance.at };
    written.push(`written_acceptance_${index} as (${insertText('svc.acceptances', columns, fromGate)}),`);
    next = acceptance.next;
  }
  if (listed) {
    const { at, next: behind } = listedAt(next);
    written.push(`written_metadata as (
      insert into svc.intent_metadata (account_id, mode, intent_id, digest)
      select ${account_id}, ${mode}, ${intent_id}, digest from unnest(${at.digests}) as digest${once ? ', gate' : ''}
    ),`);
    next = behind;
  }
  if (audited) {
    const { at, next: behind } = auditAt(next);
    const entry = {
      ...at,
      account_id,
      mode,
      action: "'intent.created'",
      target: intent_id,
      detail: "'{}'::jsonb",
      created_at,
    };
    written.push(`written_audit as (${insertText('svc.audit', entry, fromGate)}),`);
    next = behind;
  }
  const gate = once ? `gate as (${gateOf(INTENT.at, next)}),` : '';
  return `
    with ${gate}
    written_intent as (
      ${insertText('svc.intents', { ...INTENT.at, updated_at: created_at, event_sequence: '1' }, fromGate)}
    ),
    written_code as (
      ${insertText('svc.intent_codes', { intent_code, account_id, mode, intent_id }, fromGate)}
    ),
    ${written.join('\n    ')}
    subscribed as (
      select id from svc.endpoints
      where account_id = ${account_id} and mode = ${mode} and status ${sqlIs(ENDPOINT_STATUS.enabled)}
        and ${EVENT.at.type} = any (event_types)
    ),
    ${insertEvent(
      { ...EVENT.at, account_id, mode, intent_id, payment_id: 'null', sequence: '1', created_at },
      {
        count: '(select count(*) from subscribed)',
        from: `subscribed${once ? ', gate' : ''}`,
        endpoint_id: 'subscribed.id',
      },
      once ? 'gate' : undefined,
    )}
    select ${once ? 'count(*)::integer' : '1'} as recorded ${fromGate}`;
}

export async function recordIntent(pool: pg.Pool, record: IntentRecord): Promise<Recorded> {
  const { intent, idempotency, listedMetadata = [], auditedKeyId } = record;
  const acceptances = record.acceptances.length;
  const parts = { acceptances, listed: listedMetadata.length > 0, audited: auditedKeyId !== undefined };
  const statement = statementFor(parts, idempotency !== null);
  const values = [
    ...intentValues(record),
    ...(auditedKeyId === undefined ? [] : [newId('audit', intent.createdAtMs), `key:${auditedKeyId}`]),
    ...(idempotency === null ? [] : answerValues(idempotency)),
  ];
  const { rows } = await pool.query<{ recorded: number }>({ ...statement, values });
  if (rows[0]?.recorded === 1) return { outcome: 'recorded' };
  const recalled = idempotency === null ? undefined : await recallAnswer(pool, intent, idempotency.claim);
  if (recalled === undefined)
    throw new Error(`intent ${intent.id} was not recorded, and no answer is stored under its idempotency key`);
  return recalled;
}

/** For `recordedOnce`: its statement has no placeholder for metadata. */
export function intentValuesOnce(record: IntentRecord): unknown[] {
  const { intent, listedMetadata = [] } = record;
  if (listedMetadata.length > 0) throw new Error(`intent ${intent.id} has metadata that this statement does not write`);
  return intentValues(record);
}

/** For the placeholders of intent, event, acceptances and metadata. */
function intentValues({ intent, acceptances, events, listedMetadata = [] }: IntentRecord): unknown[] {
  const [event, ...others] = events;
  if (event === undefined || others.length > 0)
    throw new Error(`new intent ${intent.id} has ${events.length} events instead of one`);
  return [
    ...INTENT.values({
      account_id: intent.accountId,
      mode: intent.mode,
      created_at: isoTime(intent.createdAtMs),
      id: intent.id,
      intent_code: intent.intentCode,
      status: intent.status,
      x402_upto: intent.upto,
      amount: intent.amount.toString(),
      ledger_id: intent.ledgerId,
      network: intent.network,
      token_shortcode: intent.tokenShortcode,
      amount_usd_atto: intent.amountUsd?.toString() ?? null,
      description: intent.description,
      resource: intent.resource,
      mime_type: intent.mimeType,
      expected_sender: intent.expectedSender,
      payer_public_key: intent.payerPublicKey,
      metadata: JSON.stringify(intent.metadata),
      service_metadata: storedServiceMetadata(intent),
      expires_at: isoTime(intent.expiresAtMs),
      confirmations: intent.confirmations,
    }),
    ...EVENT.values({
      id: event.id,
      type: event.type,
      request_id: event.requestId,
      api_version: event.apiVersion,
      body_before: event.bodyBefore,
      body_after: event.bodyAfter,
    }),
    ...acceptances.flatMap(acceptanceValues),
    ...(listedMetadata.length > 0 ? [listedMetadata] : []),
  ];
}

function acceptanceValues(
  { acceptance, offer, flow }: IntentRecord['acceptances'][number],
  position: number,
): unknown[] {
  return ACCEPTANCE.values({
    position,
    scheme: acceptance.scheme,
    network: acceptance.network,
    token_shortcode: offer.token.shortcode,
    asset: offer.token.address,
    pay_to: acceptance.payTo,
    amount: acceptance.maxAmountRequired,
    payout_id: offer.payout.payoutId.toString(),
    max_timeout_seconds: acceptance.maxTimeoutSeconds ?? null,
    usd_per_token_atto: offer.rate.usdPerToken.toString(),
    rate_source: offer.rate.source,
    rate_observed_at: isoTime(offer.rate.observedAtMs),
    body: JSON.stringify(acceptance),
    confirmations: offer.confirmations,
    minimum_usd_micros: offer.minimumUsdMicros?.toString() ?? null,
    price_ends_at: offer.priceEndsAtMs === null ? null : isoTime(offer.priceEndsAtMs),
    flow: flow ?? 'x402',
  });
}

const RESERVE = {
  name: 'reserve-intent-codes',
  text: 'select svc.next_intent_code() as code from generate_series(1, $1)',
};

/** Reserves unique intent codes below 2^53. Unused codes are lost. */
export async function reserveIntentCodes(pool: pg.Pool, count: number): Promise<readonly number[]> {
  const { rows } = await pool.query<{ code: string }>({ ...RESERVE, values: [count] });
  return rows.map(({ code }) => Number(code));
}
