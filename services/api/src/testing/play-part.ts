import { insertRow, type TestDatabase } from '@svc-pay/postgres/testing';
import { newId } from '@svc-pay/protocol/ids';

/** A part of the intent's first acceptance, as the chain reader records it. Answers the id of its payment. */
export async function playPart({ pool }: TestDatabase, intentId: string, paidAtomic: bigint): Promise<string> {
  const { rows } = await pool.query<Record<string, unknown>>(
    `select i.account_id, i.mode, i.token_shortcode, i.network, i.ledger_id as asset, i.amount
     from svc.intents i where i.id = $1`,
    [intentId],
  );
  const id = newId('payment', Date.now());
  await insertRow(pool, 'payments', {
    ...rows[0],
    id,
    intent_id: intentId,
    status: 'mismatched',
    paid_amount: String(paidAtomic),
    part_position: 0,
    transaction_id: `0x${'5a'.repeat(32)}`,
  });
  await pool.query(`update svc.intents set status = 'mismatched', has_parts = true, payment_id = $2 where id = $1`, [
    intentId,
    id,
  ]);
  return id;
}
