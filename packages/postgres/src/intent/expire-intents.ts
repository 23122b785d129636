// Cancels expired intents, a bounded number at a time, found by the partial index of intents that can still expire, and
// tells merchants who ask for it.
import { ACCOUNT_STATUS, FINAL_AFTER_END_MS, INTENT_TRANSITIONS, isoTime, PAYABLE_INTENT } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { NOT_MERGED } from '../database/planner.ts';
import { sqlIs, sqlStep } from '../database/status-sql.ts';
import { asksForCanceled, type CanceledIntentKey, tellCanceled } from './tell-canceled.ts';

const EXPIRY = sqlStep(INTENT_TRANSITIONS, PAYABLE_INTENT, 'canceled');

// An intent that was paid in time does not expire while its payment waits to be final: a `pay()` with its code, or a bound
// nonce that somebody used. The hex digits of the code are those of the nonce.
const NOT_PAID = `
  not exists (
    select from svc.read_logs paid
    where paid.event = 'payment_received' and paid.log ->> 'intentCode' = intent.intent_code::text
  ) and not exists (
    select from svc.read_logs used
    where used.event = 'authorization_used'
      and substr(used.log ->> 'nonce', 19, 16) = lpad(to_hex(intent.intent_code), 16, '0')
  )`;

/** A reader that stands still for longer keeps no intent open. */
const READER_STALLED = '1 hour';

// Nor while the chain reader has not read a source of its acceptances up to its expiry: it may have been paid there. A direct
// acceptance is read from its token. By key for each expired intent, before the rows of others are looked at.
const readPastExpiry = (now: string) => `
  not exists (
    select from svc.acceptances offered
    join svc.reader_cursors cursor
      on cursor.network = offered.network and (
        cursor.address = lower(offered.pay_to) or cursor.kind = 'token' and cursor.address = lower(offered.asset)
          and not exists (
            select from svc.reader_cursors own
            where own.network = offered.network and own.address = lower(offered.pay_to)
          )
      )
    where offered.account_id = intent.account_id and offered.mode = intent.mode and offered.intent_id = intent.id
      and cursor.block_time < extract(epoch from intent.expires_at)
      and cursor.updated_at > ${now}::timestamptz - interval '${READER_STALLED}'
    ${NOT_MERGED}
  )`;

// Nor while its reference was not read since all that was paid in time is final.
const referenceReadPastExpiry = (now: string) => `
  not exists (
    select from svc.payment_references opened
    where opened.account_id = intent.account_id and opened.mode = intent.mode and opened.intent_id = intent.id
      and (opened.read_at is null
        or opened.read_at < intent.expires_at + interval '${FINAL_AFTER_END_MS} milliseconds')
      and intent.expires_at > ${now}::timestamptz - interval '${READER_STALLED}'
    ${NOT_MERGED}
  )`;

// Nor while a token ledger of its acceptances was not read to its end since, or a transfer with its memo is not applied.
// A ledger without a cursor is read from its beginning when that is opened: its first reading, or the one after a reset.
const ledgersReadPastExpiry = (now: string) => `
  not exists (
    select from svc.acceptances offered
    left join svc.icrc_cursors cursor on cursor.network = offered.network and cursor.ledger = offered.asset
    where offered.account_id = intent.account_id and offered.mode = intent.mode and offered.intent_id = intent.id
      and offered.network like 'icp:%'
      and (cursor.read_at is null
        or cursor.read_at < intent.expires_at + interval '${FINAL_AFTER_END_MS} milliseconds')
      and intent.expires_at > ${now}::timestamptz - interval '${READER_STALLED}'
    ${NOT_MERGED}
  ) and not exists (
    select from svc.icrc_transfers found where found.intent_code = intent.intent_code
  )`;

// Nor while its account moves: it expires where the account arrives.
const NOT_MOVING = `
  not exists (
    select from svc.accounts moving
    where moving.id = intent.account_id and moving.status ${sqlIs(ACCOUNT_STATUS.moving, ACCOUNT_STATUS.moved)}
    ${NOT_MERGED}
  )`;

const isRead = (now: string) =>
  `${readPastExpiry(now)} and ${referenceReadPastExpiry(now)} and ${ledgersReadPastExpiry(now)} and ${NOT_MOVING}`;

const EXPIRE = {
  name: 'expire-intents',
  text: `
    with over as materialized (
      select account_id, mode, id, ${asksForCanceled('intent')} as told from svc.intents intent
      where status ${EXPIRY.from} and expires_at <= $1 and ${NOT_PAID} and ${isRead('$1')}
      order by expires_at limit $2 for no key update skip locked
    )
    update svc.intents intent
    set status = ${EXPIRY.to}, version = intent.version + 1, updated_at = $1, canceled_at = $1,
      event_sequence = event_sequence + over.told::integer
    from over
    where intent.account_id = over.account_id and intent.mode = over.mode and intent.id = over.id
      and intent.status ${EXPIRY.from}
    returning intent.account_id as "accountId", intent.mode, intent.id as "intentId", over.told`,
};

type ExpiredRow = CanceledIntentKey & { readonly told: boolean };

/** Returns how many intents expired; as many as `limit` means that there may be more. */
export async function expireIntents(pool: pg.Pool, nowMs: number, limit: number): Promise<number> {
  return expire(pool, { ...EXPIRE, values: [isoTime(nowMs), limit] }, nowMs);
}

async function expire(pool: pg.Pool, statement: pg.QueryConfig, nowMs: number): Promise<number> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<ExpiredRow>(statement);
    const origin = { requestId: newId('request', nowMs), idempotencyKey: null };
    await tellCanceled(
      client,
      rows.filter(({ told }) => told),
      origin,
      nowMs,
    );
    return rows.length;
  });
}

export type OverdueIntent = {
  readonly accountId: string;
  readonly mode: string;
  readonly intentId: string;
  readonly expiresAt: Date;
};

const LOAD_OVERDUE = {
  name: 'load-overdue-intents',
  text: `
    select account_id, mode, id, expires_at from svc.intents intent
    where status ${EXPIRY.from} and expires_at <= $1 and ${NOT_PAID} and ${isRead('$1')}
      and ($2::timestamptz is null or (expires_at, id) > ($2, $3::text))
    order by expires_at, id limit $4`,
};

/** Pages of overdue intents, used when `expireIntents` fails: then each intent is expired by itself. */
export async function loadOverdueIntents(
  pool: pg.Pool,
  nowMs: number,
  after: OverdueIntent | undefined,
  limit: number,
): Promise<readonly OverdueIntent[]> {
  const { rows } = await pool.query<{ account_id: string; mode: string; id: string; expires_at: Date }>({
    ...LOAD_OVERDUE,
    values: [isoTime(nowMs), after?.expiresAt ?? null, after?.intentId ?? null, limit],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    mode: row.mode,
    intentId: row.id,
    expiresAt: row.expires_at,
  }));
}

const EXPIRE_ONE = {
  name: 'expire-intent',
  text: `
    update svc.intents intent set status = ${EXPIRY.to}, version = version + 1, updated_at = $4, canceled_at = $4,
      event_sequence = event_sequence + (${asksForCanceled('intent')})::integer
    where account_id = $1 and mode = $2 and id = $3 and status ${EXPIRY.from} and expires_at <= $4 and ${NOT_PAID}
      and ${isRead('$4')}
    returning intent.account_id as "accountId", intent.mode, intent.id as "intentId", ${asksForCanceled('intent')} as told`,
};

export async function expireIntent(
  pool: pg.Pool,
  { accountId, mode, intentId }: OverdueIntent,
  nowMs: number,
): Promise<void> {
  await expire(pool, { ...EXPIRE_ONE, values: [accountId, mode, intentId, isoTime(nowMs)] }, nowMs);
}
