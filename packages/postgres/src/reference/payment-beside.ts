// A transaction may name intents of two merchants and pay both. It proves one payment. What the other merchant got is told by a
// receipt, without what the payment counted of the recipients that both have.
import type { DueReference, TokenMovement } from '@svc-pay/core';
import type pg from 'pg';
import { entriesOfPayment } from '../database/entries-of-payment.ts';
import { leaveOut } from './leave-out.ts';

export const LOAD_ENTRIES_OF_PROOF = {
  name: 'load-entries-of-proof',
  text: `
    select entry.account_name as account, entry.party, entry.asset, entry.amount::text as amount
    from svc.log_proofs proof cross join lateral ${entriesOfPayment('proof')} entry
    where proof.network = $1 and proof.transaction_id = $2 and proof.payment_id = $3 and proof.refund_id is null
      and entry.transaction_id = proof.transaction_id and entry.log_index = proof.log_index and entry.amount > 0`,
};

type Entry = { readonly account: string; readonly party: string; readonly asset: string; readonly amount: string };

/** The movement without what the payment was booked with, and the merchants whom that paid. */
export async function withoutPayment(
  client: pg.ClientBase,
  { network }: DueReference,
  movement: TokenMovement,
  paymentId: string,
): Promise<{ readonly movement: TokenMovement; readonly merchants: readonly string[] }> {
  const values = [network, movement.transactionId, paymentId];
  const { rows } = await client.query<Entry>({ ...LOAD_ENTRIES_OF_PROOF, values });
  const got = rows.map(({ party, asset, amount }) => ({ owner: party, mint: asset, amountAtomic: BigInt(amount) }));
  const merchants = rows.filter(({ account }) => account === 'merchant').map(({ party }) => party);
  return { movement: got.reduce(leaveOut, movement), merchants };
}
