import { isoTime, type RefusedAttempt } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';

/** Refused attempts stored per intent: enough to debug an integration, too few to fill a disk. */
const ATTEMPTS_KEPT = 20;

// Anybody can send headers. So each pair of code and payer is
// stored once per intent, and at most `ATTEMPTS_KEPT` in all.
const RECORD_ATTEMPT = {
  name: 'record-attempt',
  text: `
    with kept as (
      select code, payer from svc.attempts where account_id = $1 and mode = $2 and intent_id = $4 limit ${ATTEMPTS_KEPT}
    )
    insert into svc.attempts (account_id, mode, id, intent_id, code, detail, payer, created_at)
    select $1, $2, $3, $4, $5, $6, $7, $8
    where (select count(*) from kept) < ${ATTEMPTS_KEPT}
      and not exists (select from kept where code = $5 and payer is not distinct from $7)`,
};

export async function recordAttempt(pool: pg.Pool, attempt: RefusedAttempt): Promise<void> {
  const { caller, intentId, code, detail, payer, nowMs } = attempt;
  await pool.query({
    ...RECORD_ATTEMPT,
    values: [caller.accountId, caller.mode, newId('attempt', nowMs), intentId, code, detail, payer, isoTime(nowMs)],
  });
}
