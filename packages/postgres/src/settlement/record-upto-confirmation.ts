// Records a confirmed up-to authorization in one transaction. The intent is locked first and checked under the lock.
// Every other row is written only if the claim was inserted, so that an authorization is never stored for two intents
// and never announced twice.
import {
  type Confirmation,
  type ConfirmationOutcome,
  confirmIntent,
  draftEvents,
  eventsFor,
  isoTime,
  isPayable,
  isUsable,
} from '@svc-pay/core';
import type pg from 'pg';
import { bytesOfHex } from '../database/bytes-of-hex.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { lockIntent } from '../intent/load-intent.ts';
import { findClaim } from '../payment/claim-payment.ts';
import { insertAuthorization, insertClaim } from '../payment/insert-authorization.ts';
import { writeEvents } from '../payment/write-payment-results.ts';
import { STORED_JSON, type StoredRow, storedOf } from './load-upto.ts';

/** Thrown to roll back; an expected outcome, not a failure. */
class NotRecorded extends Error {
  readonly outcome: Exclude<ConfirmationOutcome, 'confirmed'> | 'claimed';
  constructor(outcome: NotRecorded['outcome']) {
    super(outcome);
    this.outcome = outcome;
  }
}

export async function recordConfirmation(pool: pg.Pool, confirmation: Confirmation): Promise<ConfirmationOutcome> {
  try {
    await inTransaction(pool, (client) => confirm(client, confirmation));
    return 'confirmed';
  } catch (problem) {
    if (!(problem instanceof NotRecorded)) throw problem;
    const { caller, intentId, claimKey } = confirmation;
    const holder = await findClaim(pool, caller, intentId, claimKey);
    if (holder === 'here') return 'confirmed_before';
    if (holder === 'elsewhere') return 'bound_elsewhere';
    return problem.outcome === 'claimed' ? 'intent_taken' : problem.outcome;
  }
}

async function confirm(client: pg.PoolClient, confirmation: Confirmation): Promise<void> {
  const { caller, intentId, acceptance, origin, nowMs } = confirmation;
  const { accountId, mode } = caller;
  const before = await lockIntent(client, caller, intentId);
  if (before === undefined || !isPayable(before.intent, nowMs) || !before.intent.upto)
    throw new NotRecorded('intent_taken');
  const { rows } = await client.query<{ stored: StoredRow }>({
    name: 'load-stored-authorization',
    text: `
      select ${STORED_JSON} as stored from svc.authorizations signed
      where signed.account_id = $1 and signed.mode = $2 and signed.intent_id = $3
      order by signed.created_at desc limit 1`,
    values: [accountId, mode, intentId],
  });
  if (rows[0] !== undefined && isUsable(storedOf(rows[0].stored), nowMs)) throw new NotRecorded('other_confirmed');

  const { rowCount } = await client.query({ ...TAKE, values: takeValues(confirmation) });
  if (rowCount !== 1) throw new NotRecorded('claimed');
  const { intent, payment, eventSequence } = before;
  const after = { intent: confirmIntent(intent, confirmation), payment };
  const events = draftEvents(eventsFor({ intent, payment }, after), after, origin, nowMs, eventSequence);
  await client.query({
    ...CONFIRM,
    values: CONFIRMED.values({
      account_id: accountId,
      mode,
      id: intentId,
      amount: acceptance.amount.toString(),
      ledger_id: acceptance.token.address,
      network: acceptance.network,
      token_shortcode: acceptance.token.shortcode,
      service_metadata: JSON.stringify(after.intent.serviceMetadata),
      expires_at: isoTime(after.intent.expiresAtMs),
      events: events.length,
      now: isoTime(nowMs),
    }),
  });
  await writeEvents(
    client,
    events.map((event) => ({ event, owner: { accountId, mode } })),
  );
}

const CONFIRMED = namedParameters({
  account_id: 'text',
  mode: 'text',
  id: 'text',
  amount: 'numeric',
  ledger_id: 'text',
  network: 'text',
  token_shortcode: 'text',
  service_metadata: 'jsonb',
  expires_at: 'timestamptz',
  events: 'integer',
  now: 'timestamptz',
});
const confirmed = CONFIRMED.at;
const CONFIRM = {
  name: 'confirm-intent',
  text: `
    update svc.intents
    set amount = ${confirmed.amount}, ledger_id = ${confirmed.ledger_id}, network = ${confirmed.network},
      token_shortcode = ${confirmed.token_shortcode}, service_metadata = ${confirmed.service_metadata},
      expires_at = ${confirmed.expires_at}, event_sequence = event_sequence + ${confirmed.events},
      version = version + 1, updated_at = ${confirmed.now}
    where account_id = ${confirmed.account_id} and mode = ${confirmed.mode} and id = ${confirmed.id}`,
};

const TAKEN = namedParameters({
  account_id: 'text',
  mode: 'text',
  intent_id: 'text',
  created_at: 'timestamptz',
  claim_key: 'bytea',
  network: 'text',
  asset: 'text',
  payer: 'text',
  nonce: 'bytea',
  kind: 'text',
  recipient: 'text',
  cap: 'numeric',
  valid_after: 'bigint',
  valid_before: 'bigint',
  signature: 'bytea',
  by_contract: 'boolean',
});
const { account_id, mode, intent_id, created_at, claim_key, network, asset, payer, nonce } = TAKEN.at;
const TAKE = {
  name: 'take-authorization',
  text: `
    with claimed as (
      ${insertClaim({ account_id, mode, intent_id, created_at, claim_key, network, asset, payer, nonce })}
      on conflict do nothing
      returning 1
    )
    ${insertAuthorization(TAKEN.at, 'from claimed')}`,
};

function takeValues({ caller, intentId, claimKey, acceptance, authorization, ...rest }: Confirmation): unknown[] {
  return TAKEN.values({
    account_id: caller.accountId,
    mode: caller.mode,
    intent_id: intentId,
    created_at: isoTime(rest.nowMs),
    claim_key: claimKey,
    network: acceptance.network,
    asset: acceptance.token.address,
    payer: authorization.from.toLowerCase(),
    nonce: bytesOfHex(authorization.nonce),
    kind: rest.kind,
    recipient: acceptance.payTo,
    cap: acceptance.amount.toString(),
    valid_after: authorization.validAfter,
    valid_before: authorization.validBefore,
    signature: bytesOfHex(rest.signature),
    by_contract: rest.byContract,
  });
}
