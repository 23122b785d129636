// A transaction that a refund is proven by may pay an intent beside it: a merchant who gives money back may buy something
// with the same transaction. What the refund counted is left out of what the transaction paid.
import { type DueReference, REFUND_STATUS, type TokenMovement } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import type { ProvenRow } from '../payment/log-proofs.ts';
import { leaveOut } from './leave-out.ts';

export const LOAD_REFUND_OF_PROOF = {
  name: 'load-refund-of-proof',
  text: `
    select asset, recipient, amount::text as amount from svc.refunds
    where account_id = $1 and mode = $2 and id = $3 and network = $4 and status ${sqlIs(REFUND_STATUS.completed)}`,
};

/** The movement without the refund that it proves. */
export async function withoutRefund(
  client: pg.ClientBase,
  { network }: DueReference,
  movement: TokenMovement,
  { account_id, mode, refund_id }: ProvenRow,
): Promise<TokenMovement> {
  const { rows } = await client.query<{ asset: string; recipient: string; amount: string }>({
    ...LOAD_REFUND_OF_PROOF,
    values: [account_id, mode, refund_id, network],
  });
  const [refund] = rows;
  if (refund === undefined) throw new Error(`refund ${refund_id} is proven, and is not completed on ${network}`);
  return leaveOut(movement, { owner: refund.recipient, mint: refund.asset, amountAtomic: BigInt(refund.amount) });
}
