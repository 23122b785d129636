// Records a confirmed up-to authorization in one transaction. The intent is locked first and checked under the lock.
// Every other row is written only if the claim was inserted, so that an authorization is never stored for two intents
// and never announced twice.
import {
  type Confirmation,
  type ConfirmationOutcome,
  confirmIntent,
  draftEvents,
  eventsFor,
  hasRoomForCap,
  isoTime,
  isPayable,
  isUsable,
  mostOpenCaps,
  type OpenCaps,
} from '@svc-pay/core';
import type pg from 'pg';
import { bytesOfHex } from '../database/bytes-of-hex.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { writeEvents } from '../event/write-events.ts';
import { lockIntent } from '../intent/load-intent.ts';
import { storedServiceMetadata } from '../intent/service-metadata.ts';
import { findClaim } from '../payment/claim-payment.ts';
import { insertAuthorization, insertClaim } from '../payment/insert-authorization.ts';
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
  const { rows } = await client.query<StoredAndOpen>({ ...LOAD_STORED, values: loadValues(confirmation) });
  const [{ stored, ofPayer, ofAccount } = NOTHING_STORED] = rows;
  if (stored !== null && isUsable(storedOf(stored), nowMs)) throw new NotRecorded('other_confirmed');
  const limits = confirmation.openCaps;
  if (limits !== undefined && !hasRoomForCap({ ofPayer, ofAccount }, limits)) throw new NotRecorded('too_many_open');

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
      service_metadata: storedServiceMetadata(after.intent),
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

type StoredAndOpen = OpenCaps & { readonly stored: StoredRow | null };
const NOTHING_STORED: StoredAndOpen = { stored: null, ofPayer: 0, ofAccount: 0 };

// Open caps are counted no further than their limits.
const LOAD_STORED = {
  name: 'load-stored-authorization',
  text: `
    select
      (
        select ${STORED_JSON} from svc.authorizations signed
        where signed.account_id = $1 and signed.mode = $2 and signed.intent_id = $3
        order by signed.created_at desc limit 1
      ) as stored,
      (
        select count(*)::integer from (
          select from svc.authorizations
          where upto and closed_at is null and network = $4 and payer = $5
          limit $6
        ) open
      ) as "ofPayer",
      (
        select count(*)::integer from (
          select from svc.authorizations
          where upto and closed_at is null and account_id = $1 and mode = $2
          limit $7
        ) open
      ) as "ofAccount"`,
};

function loadValues({ caller, intentId, acceptance, authorization, openCaps }: Confirmation): unknown[] {
  const [perPayer, perAccount] = openCaps === undefined ? [0, 0] : [openCaps.perPayer, mostOpenCaps(openCaps)];
  const payer = authorization.from.toLowerCase();
  return [caller.accountId, caller.mode, intentId, acceptance.network, payer, perPayer, perAccount];
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
  code_hash: 'bytea',
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
    ${insertAuthorization({ ...TAKEN.at, upto: 'true' }, 'from claimed')}`,
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
    code_hash: rest.codeHash === undefined ? null : bytesOfHex(rest.codeHash),
  });
}
