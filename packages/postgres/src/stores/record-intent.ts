// A new intent in one statement: the intent, its code, its acceptances, its event with deliveries and, when the caller
// sent a key, the answer to repeat. A key that is taken writes nothing.
//
// The statement is spelled out for each number of acceptances: sets passed as JSON cost a quarter more on both sides.
import { type EventDraft, type IntentRecord, isoTime, type Recorded } from '@svc-pay/core';
import type pg from 'pg';
import { answerColumns, recallAnswer } from './stored-answers.ts';

const INTENT_COLUMNS = `
  id intent_code status x402_upto amount ledger_id network token_shortcode amount_usd_atto description resource mime_type
  expected_sender payer_public_key metadata service_metadata expires_at confirmations`
  .trim()
  .split(/\s+/);
const ACCEPTANCE_COLUMNS = `
  position scheme network token_shortcode asset pay_to amount payout_id max_timeout_seconds usd_per_token_atto rate_source
  rate_observed_at body confirmations`
  .trim()
  .split(/\s+/);
const ANSWER_COLUMNS = ['key', 'request_hash', 'response_status', 'response_headers', 'response_body'];

/** Account, mode and time come first, then the intent; `$4` is its id and `$5` its code. */
const FIRST_INTENT_PLACE = 4;
const FIRST_EVENT_PLACE = FIRST_INTENT_PLACE + INTENT_COLUMNS.length;
const FIRST_ACCEPTANCE_PLACE = FIRST_EVENT_PLACE + 6;

const places = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `$${first + index}`).join(', ');

type Statement = { readonly name: string; readonly text: string };
const statements = new Map<string, Statement>();

function statementFor(acceptances: number, once: boolean): Statement {
  const name = `record-intent-${acceptances}${once ? '-once' : ''}`;
  const known = statements.get(name);
  if (known !== undefined) return known;
  const statement = { name, text: textOf(acceptances, once) };
  statements.set(name, statement);
  return statement;
}

function textOf(acceptances: number, once: boolean): string {
  const answerPlace = FIRST_ACCEPTANCE_PLACE + acceptances * ACCEPTANCE_COLUMNS.length;
  // Without a key nothing stands in the way; with one, what is written comes `from gate`, which a taken key leaves empty.
  const gate = once
    ? `gate as (
      insert into svc.idempotency (account_id, mode, created_at, ${ANSWER_COLUMNS.join(', ')})
      values ($1, $2, $3, ${places(answerPlace, ANSWER_COLUMNS.length)}) on conflict do nothing returning 1
    ),`
    : '';
  const fromGate = once ? 'from gate' : '';
  const [eventId, type, requestId, apiVersion, before, after] = [0, 1, 2, 3, 4, 5].map(
    (index) => `$${FIRST_EVENT_PLACE + index}`,
  );
  return `
    with ${gate}
    written_intent as (
      insert into svc.intents (account_id, mode, created_at, updated_at, event_sequence, ${INTENT_COLUMNS.join(', ')})
      select $1, $2, $3, $3, 1, ${places(FIRST_INTENT_PLACE, INTENT_COLUMNS.length)} ${fromGate}
    ),
    written_code as (
      insert into svc.intent_codes (intent_code, account_id, mode, intent_id) select $5, $1, $2, $4 ${fromGate}
    ),
    ${Array.from({ length: acceptances }, (_, index) => acceptanceText(index, fromGate)).join('')}
    subscribed as (
      select id from svc.endpoints
      where account_id = $1 and mode = $2 and status = 'enabled' and ${type} = any (event_types)
    ),
    written_event as (
      insert into svc.events (
        account_id, mode, created_at, intent_id, sequence, id, type, request_id, api_version, body
      )
      select $1, $2, $3, $4, 1, ${eventId}, ${type}, ${requestId}, ${apiVersion},
        convert_to(${before}::text || (select count(*) from subscribed) || ${after}::text, 'UTF8')
      ${fromGate}
    ),
    written_delivery as (
      insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, next_at, created_at)
      select $1, $2, ${eventId}, subscribed.id, 'pending', $3, $3 from subscribed${once ? ', gate' : ''}
    )
    select ${once ? 'count(*)::integer' : '1'} as recorded ${fromGate}`;
}

function acceptanceText(index: number, fromGate: string): string {
  const first = FIRST_ACCEPTANCE_PLACE + index * ACCEPTANCE_COLUMNS.length;
  return `written_acceptance_${index} as (
      insert into svc.acceptances (account_id, mode, intent_id, ${ACCEPTANCE_COLUMNS.join(', ')})
      select $1, $2, $4, ${places(first, ACCEPTANCE_COLUMNS.length)} ${fromGate}
    ),`;
}

export async function recordIntent(pool: pg.Pool, record: IntentRecord): Promise<Recorded> {
  const { intent, idempotency } = record;
  const statement = statementFor(record.acceptances.length, idempotency !== null);
  const values = valuesOf(record);
  if (idempotency !== null) values.push(...answerColumns(idempotency));
  const { rows } = await pool.query<{ recorded: number }>({ ...statement, values });
  if (rows[0]?.recorded === 1) return { outcome: 'recorded' };
  const recalled = idempotency === null ? undefined : await recallAnswer(pool, intent, idempotency.claim);
  if (recalled === undefined) throw new Error('an idempotency key was taken and is gone again');
  return recalled;
}

function valuesOf({ intent, acceptances, events }: IntentRecord): unknown[] {
  const [event, ...others] = events;
  if (event === undefined || others.length > 0) throw new Error('a new intent causes exactly one event');
  return [
    intent.accountId,
    intent.mode,
    isoTime(intent.createdAtMs),
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
    JSON.stringify(intent.serviceMetadata),
    isoTime(intent.expiresAtMs),
    intent.confirmations,
    ...eventValues(event),
    ...acceptances.flatMap(acceptanceValues),
  ];
}

function eventValues(event: EventDraft): unknown[] {
  return [event.id, event.type, event.requestId, event.apiVersion, event.bodyBefore, event.bodyAfter];
}

function acceptanceValues({ acceptance, offer }: IntentRecord['acceptances'][number], position: number): unknown[] {
  return [
    position,
    acceptance.scheme,
    acceptance.network,
    offer.token.shortcode,
    offer.token.address,
    acceptance.payTo,
    acceptance.maxAmountRequired,
    offer.payout.payoutId.toString(),
    acceptance.maxTimeoutSeconds,
    offer.rate.usdPerToken.toString(),
    offer.rate.source,
    isoTime(offer.rate.observedAtMs),
    JSON.stringify(acceptance),
    offer.confirmations,
  ];
}
