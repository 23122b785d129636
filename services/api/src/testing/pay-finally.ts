// A direct payment that is paid on chain and final, so that it can be refunded. Settlement is played with SQL.
import type { PrivateKeyAccount } from 'viem/accounts';
import { call, SETTLE } from './call.ts';
import { USDC } from './payment-chain.ts';
import { playBroadcast, playCompletion } from './play-settlement.ts';
import { type HeaderChange, newPayer, signHeader } from './sign-header.ts';
import type { PayableApi } from './start-payable-api.ts';

export type PaidPayment = { readonly id: string; readonly intentId: string; readonly payer: PrivateKeyAccount };

type Paid = { readonly final?: boolean; readonly completed?: boolean; readonly change?: HeaderChange };

/** 1.5 USDC. */
export async function payFinally(api: PayableApi, paid: Paid = {}): Promise<PaidPayment> {
  const { pool } = api.database;
  const payer = newPayer();
  await api.chain.mint(USDC, payer.address, 1_500_000n);
  const intent = await api.newIntent();
  const header = await signHeader(payer, intent.acceptance, paid.change);
  const body = { paymentIntentId: intent.id, paymentHeader: header };
  const answer = await call(api, 'POST', SETTLE, { key: api.account.keys.test.publishable, body });
  if (answer.json().status !== 'processing') throw new Error(answer.body);
  await api.chain.useAuthorization(header);
  await playBroadcast(pool, intent.id);
  if (paid.completed !== false) await playCompletion(pool, intent.id);
  const { rows } = await pool.query<{ id: string; batch_id: string }>(
    `select p.id, s.batch_id from svc.payments p join svc.settlements s on s.payment_id = p.id where p.intent_id = $1`,
    [intent.id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('no payment was claimed');
  if (paid.final !== false)
    await pool.query("update svc.batches set status = 'finalized' where id = $1", [row.batch_id]);
  return { id: row.id, intentId: intent.id, payer };
}
