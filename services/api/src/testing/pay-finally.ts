// A direct payment that is paid on chain and final, so that it can be refunded. Settlement is played with SQL.
import type { Hex } from 'viem';
import { call, SETTLE } from './call.ts';
import { USDC } from './payment-chain.ts';
import { playBroadcast, playCompletion, playFinality } from './play-settlement.ts';
import { type HeaderChange, newPayer, signHeader } from './sign-header.ts';
import type { PayableApi } from './start-payable-api.ts';

export type PaidPayment = { readonly id: string; readonly intentId: string; readonly payer: { readonly address: Hex } };

type Paid = {
  readonly final?: boolean;
  readonly completed?: boolean;
  /** The payer is a contract wallet (ERC-1271). */
  readonly byContract?: boolean;
  readonly change?: HeaderChange;
};

/** 1.5 USDC. */
export async function payFinally(api: PayableApi, paid: Paid = {}): Promise<PaidPayment> {
  const { pool } = api.database;
  const signer = newPayer();
  const address = paid.byContract === true ? await api.chain.deployWallet(signer.address) : signer.address;
  await api.chain.mint(USDC, address, 1_500_000n);
  const intent = await api.newIntent();
  const header = await signHeader(signer, intent.acceptance, { from: address, ...paid.change });
  const body = { paymentIntentId: intent.id, paymentHeader: header };
  const answer = await call(api, 'POST', SETTLE, { key: api.account.keys.test.publishable, body });
  if (answer.json().status !== 'processing') throw new Error(answer.body);
  await api.chain.useAuthorization(header);
  await playBroadcast(pool, intent.id);
  if (paid.completed !== false) await playCompletion(pool, intent.id);
  return { id: await playFinality(pool, intent.id, paid.final !== false), intentId: intent.id, payer: { address } };
}
