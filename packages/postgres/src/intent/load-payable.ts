import type { Caller, PayableTerms } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { loadAcceptancesOfMany } from './load-acceptances.ts';

const COUNT_CLAIMS = {
  name: 'count-claims-of-intent',
  text: `
    select count(*)::integer as claims from svc.authorizations
    where account_id = $1 and mode = $2 and intent_id = $3`,
};

/** What money would be attributed to, whatever the flow; nothing for an intent of somebody else. */
export async function loadPayable(
  pool: pg.Pool,
  caller: Pick<Caller, 'accountId' | 'mode'>,
  intentId: Id<'paymentIntent'>,
): Promise<PayableTerms> {
  const { accountId, mode } = caller;
  const [[terms = []], { rows }] = await Promise.all([
    loadAcceptancesOfMany(pool, [{ caller, intentId }], 'any'),
    pool.query<{ claims: number }>({ ...COUNT_CLAIMS, values: [accountId, mode, intentId] }),
  ]);
  return { terms, claims: rows[0]?.claims ?? 0 };
}
