import type { Caller, PayableTerms } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { listedBy } from '../database/listed-by.ts';
import { loadAcceptancesOfMany } from './load-acceptances.ts';

const OF_INTENT = listedBy({ account_id: '$1', mode: '$2' }, 'intent_id', '$3');
const COUNT_CLAIMS = {
  name: 'count-claims-of-intent',
  text: `
    select
      (select count(*)::integer from svc.authorizations
        where account_id = $1 and mode = $2 and intent_id = $3) as claims,
      (select count(*)::integer from svc.payments where ${OF_INTENT.where}) as payments`,
};

/** As the chain reader counts them, without its lock: a part may arrive, or be given back, the next moment. */
const SUM_PARTS = {
  name: 'sum-parts-of-intent',
  text: `
    select part.part_position as position, sum(part.paid_amount - coalesce(totals.refunded + totals.reserved, 0)) as counted
    from svc.payments part
    left join svc.refund_totals totals
      on totals.account_id = part.account_id and totals.mode = part.mode and totals.payment_id = part.id
    where part.account_id = $1 and part.mode = $2 and part.intent_id = $3 and part.part_position is not null
    group by part.part_position`,
};

/** What money would be attributed to, whatever the flow; nothing for an intent of somebody else. */
export async function loadPayable(
  pool: pg.Pool,
  caller: Pick<Caller, 'accountId' | 'mode'>,
  intentId: Id<'paymentIntent'>,
): Promise<PayableTerms> {
  const { accountId, mode } = caller;
  const [[terms = []], { rows }, summed] = await Promise.all([
    loadAcceptancesOfMany(pool, [{ caller, intentId }], 'any'),
    pool.query<{ claims: number; payments: number }>({ ...COUNT_CLAIMS, values: [accountId, mode, intentId] }),
    pool.query<{ position: number; counted: string }>({ ...SUM_PARTS, values: [accountId, mode, intentId] }),
  ]);
  const parts = new Map(summed.rows.map(({ position, counted }) => [position, BigInt(counted)]));
  const { claims = 0, payments = 0 } = rows[0] ?? {};
  return { terms, claims, payments, parts };
}
