// Cancels expired intents, a bounded number at a time, found by the partial index of intents that can still expire.
import { INTENT_TRANSITIONS, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { sqlStep } from '../database/status-sql.ts';

const EXPIRY = sqlStep(INTENT_TRANSITIONS, 'requires_payment', 'canceled');

const EXPIRE = {
  name: 'expire-intents',
  text: `
    with over as materialized (
      select account_id, mode, id from svc.intents
      where status ${EXPIRY.from} and expires_at <= $1
      order by expires_at limit $2 for no key update skip locked
    )
    update svc.intents intent
    set status = ${EXPIRY.to}, version = intent.version + 1, updated_at = $1
    from over
    where intent.account_id = over.account_id and intent.mode = over.mode and intent.id = over.id
      and intent.status ${EXPIRY.from}`,
};

/** Returns how many intents expired; as many as `limit` means that there may be more. */
export async function expireIntents(pool: pg.Pool, nowMs: number, limit: number): Promise<number> {
  const { rowCount } = await pool.query({ ...EXPIRE, values: [isoTime(nowMs), limit] });
  return rowCount ?? 0;
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
    select account_id, mode, id, expires_at from svc.intents
    where status ${EXPIRY.from} and expires_at <= $1
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
    update svc.intents set status = ${EXPIRY.to}, version = version + 1, updated_at = $4
    where account_id = $1 and mode = $2 and id = $3 and status ${EXPIRY.from} and expires_at <= $4`,
};

export async function expireIntent(
  pool: pg.Pool,
  { accountId, mode, intentId }: OverdueIntent,
  nowMs: number,
): Promise<void> {
  await pool.query({ ...EXPIRE_ONE, values: [accountId, mode, intentId, isoTime(nowMs)] });
}
