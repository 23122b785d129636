// Intents that nobody paid in time. Found by the index of what can still expire, a bounded number at a time.
import { isoTime } from '@svc-pay/core';
import type pg from 'pg';

const EXPIRE = {
  name: 'expire-intents',
  text: `
    with over as materialized (
      select account_id, mode, id from svc.intents
      where status = 'requires_payment' and expires_at <= $1
      order by expires_at limit $2 for no key update skip locked
    )
    update svc.intents intent
    set status = 'canceled', version = intent.version + 1, updated_at = $1
    from over
    where intent.account_id = over.account_id and intent.mode = over.mode and intent.id = over.id
      and intent.status = 'requires_payment'`,
};

/** Answers how many there were; as many as `limit` means that there may be more. */
export async function expireIntents(pool: pg.Pool, nowMs: number, limit: number): Promise<number> {
  const { rowCount } = await pool.query({ ...EXPIRE, values: [isoTime(nowMs), limit] });
  return rowCount ?? 0;
}
