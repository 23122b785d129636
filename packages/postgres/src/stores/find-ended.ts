import type { AwaitedPayment } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

const FIND_ENDED = {
  name: 'find-ended',
  text: `
    select payment.id from unnest($1::text[], $2::text[], $3::text[]) as awaited (account_id, mode, id)
    join svc.payments payment
      on payment.account_id = awaited.account_id and payment.mode = awaited.mode and payment.id = awaited.id
    where payment.status <> 'pending'`,
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
