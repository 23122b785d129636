import { type AwaitedPayment, PAYMENT_STATUS } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { ONE_BY_KEY } from '../database/planner.ts';
import { sqlIsNot } from '../database/status-sql.ts';

const FIND_FINISHED = {
  name: 'find-ended',
  text: `
    select ended.id from unnest($1::text[], $2::text[], $3::text[]) as awaited (account_id, mode, id)
    cross join lateral (
      select payment.id from svc.payments payment
      where payment.account_id = awaited.account_id and payment.mode = awaited.mode and payment.id = awaited.id
        and payment.status ${sqlIsNot(PAYMENT_STATUS.pending)}
      ${ONE_BY_KEY}
    ) ended`,
};

/** Ids of the awaited payments that are no longer pending, found in one statement. */
export async function findFinished(
  pool: pg.Pool,
  awaited: readonly AwaitedPayment[],
): Promise<readonly Id<'payment'>[]> {
  const { rows } = await pool.query<{ id: Id<'payment'> }>({
    ...FIND_FINISHED,
    values: [
      awaited.map(({ caller }) => caller.accountId),
      awaited.map(({ caller }) => caller.mode),
      awaited.map(({ paymentId }) => paymentId),
    ],
  });
  return rows.map(({ id }) => id);
}
