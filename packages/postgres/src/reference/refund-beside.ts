// A transaction that a refund is proven by may pay an intent beside it: a merchant who gives money back may buy something
// with the same transaction. What the refund counted is left out of what the transaction paid.
import { type DueReference, REFUND_STATUS, type TokenMovement } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import { leaveOut } from './leave-out.ts';

const LOAD = {
  name: 'load-refund-of-proof',
  text: `
    select asset, recipient, amount::text as amount from svc.refunds
    where id = $1 and network = $2 and status ${sqlIs(REFUND_STATUS.completed)}`,
};

/** The movement without the refund that it proves. */
export async function withoutRefund(
  client: pg.ClientBase,
  { network }: DueReference,
  movement: TokenMovement,
  refundId: string,
): Promise<TokenMovement> {
  const { rows } = await client.query<{ asset: string; recipient: string; amount: string }>({
    ...LOAD,
    values: [refundId, network],
  });
  const [refund] = rows;
  if (refund === undefined) throw new Error(`refund ${refundId} is proven, and is not completed on ${network}`);
  return leaveOut(movement, { owner: refund.recipient, mint: refund.asset, amountAtomic: BigInt(refund.amount) });
}
