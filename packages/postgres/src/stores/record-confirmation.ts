// A confirmed authorization in one transaction. The intent is locked first and asked again under the lock; the claim is
// the gate for everything else, so that an authorization is never kept for two intents and never announced twice.
import {
  type Confirmation,
  type ConfirmationOutcome,
  confirmIntent,
  draftEvents,
  eventsFor,
  isoTime,
  isUsable,
} from '@svc-pay/core';
import type pg from 'pg';
import { writeEvents } from '../lanes/write-ends.ts';
import { findClaim } from './claim-payment.ts';
import { inTransaction } from './in-transaction.ts';
import { lockIntent } from './load-intent.ts';
import { STORED_JSON, type StoredRow, storedOf } from './load-upto.ts';

/** Rolls back without being a failure. */
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
  const open = before?.intent.status === 'requires_payment' && before.intent.expiresAtMs > nowMs;
  if (before === undefined || !open || !before.intent.upto) throw new NotRecorded('intent_taken');
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
    name: 'confirm-intent',
    text: `
      update svc.intents
      set amount = $4, ledger_id = $5, network = $6, token_shortcode = $7, service_metadata = $8, expires_at = $9,
        event_sequence = event_sequence + $10, version = version + 1, updated_at = $11
      where account_id = $1 and mode = $2 and id = $3`,
    values: [
      accountId,
      mode,
      intentId,
      acceptance.amount.toString(),
      acceptance.token.address,
      acceptance.network,
      acceptance.token.shortcode,
      JSON.stringify(after.intent.serviceMetadata),
      isoTime(after.intent.expiresAtMs),
      events.length,
      isoTime(nowMs),
    ],
  });
  await writeEvents(
    client,
    events.map((event) => ({ event, owner: { accountId, mode } })),
  );
}

const TAKE = {
  name: 'take-authorization',
  text: `
    with claimed as (
      insert into svc.claims (claim_key, account_id, mode, intent_id, network, asset, payer, nonce, created_at)
      values ($5, $1, $2, $3, $6, $7, $8, $9, $4)
      on conflict do nothing
      returning 1
    )
    insert into svc.authorizations (
      account_id, mode, intent_id, claim_key, kind, network, asset, payer, recipient, cap, valid_after, valid_before,
      nonce, signature, created_at, by_contract
    )
    select $1, $2, $3, $5, $10, $6, $7, $8, $11, $12, $13, $14, $9, $15, $4, $16 from claimed`,
};

function takeValues({ caller, intentId, claimKey, acceptance, authorization, ...rest }: Confirmation): unknown[] {
  return [
    caller.accountId,
    caller.mode,
    intentId,
    isoTime(rest.nowMs),
    claimKey,
    acceptance.network,
    acceptance.token.address,
    authorization.from.toLowerCase(),
    bytesOf(authorization.nonce),
    rest.kind,
    acceptance.payTo,
    acceptance.amount.toString(),
    authorization.validAfter,
    authorization.validBefore,
    bytesOf(rest.signature),
    rest.byContract,
  ];
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}
