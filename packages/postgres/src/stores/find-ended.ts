import type { AwaitedPayment } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

const FIND_ENDED = {
  name: 'find-ended',
  // Row by row, each by its whole key: a plan made without values must not read every payment instead.
  text: `
    select ended.id from unnest($1::text[], $2::text[], $3::text[]) as awaited (account_id, mode, id)
    cross join lateral (
      select payment.id from svc.payments payment
      where payment.account_id = awaited.account_id and payment.mode = awaited.mode and payment.id = awaited.id
        and payment.status <> 'pending'
      limit 1
    ) ended`,
};

/** Those of the payments that are not pending any more: one statement, however many are waited for. */
export async function findEnded(pool: pg.Pool, awaited: readonly AwaitedPayment[]): Promise<readonly Id<'payment'>[]> {
  const { rows } = await pool.query<{ id: Id<'payment'> }>({
    ...FIND_ENDED,
    values: [
      awaited.map(({ caller }) => caller.accountId),
      awaited.map(({ caller }) => caller.mode),
      awaited.map(({ paymentId }) => paymentId),
    ],
  });
  return rows.map(({ id }) => id);
}
