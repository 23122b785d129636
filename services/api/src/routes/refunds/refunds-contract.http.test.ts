// Refunds where the payer, or the merchant's wallet, is a contract (ERC-1271), on a real database and a real chain.
import { insertRow } from '@svc-pay/postgres/testing';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { activateWallet, DIRECT_SETTINGS } from '../../testing/activate-wallet.ts';
import { payFinally } from '../../testing/pay-finally.ts';
import { USDC } from '../../testing/payment-chain.ts';
import { preparedOf, refundCalls, refusalOf, signatureOf } from '../../testing/refund-calls.ts';
import { PROCESSOR } from '../../testing/seed-account.ts';
import { startPayableApi } from '../../testing/start-payable-api.ts';

const api = await startPayableApi(DIRECT_SETTINGS);
const { pool } = api.database;
const { client, deployWallet, mint } = api.chain;
const wallet = privateKeyToAccount((await activateWallet(api)).wallet.privateKey);
const stranger = privateKeyToAccount(generatePrivateKey());
const { create, submit, totalsOf } = refundCalls(api);
const prepare = async (paymentId: string, body?: object) => preparedOf(await create(paymentId, body), 'evm_typed_data');

test('a payer whose contract has code is refunded at its own address, and nobody else is taken for it', async () => {
  const payment = await payFinally(api, { byContract: true });
  const { refund } = await prepare(payment.id);
  expect(refund.to).toBe(payment.payer.address.toLowerCase());
  const elsewhere = refusalOf(await create(payment.id, { refundTo: stranger.address }));
  expect(elsewhere).toMatchObject({ status: 422, error: 'refund_to_not_needed', param: 'refundTo' });
});

test('a payer whose contract has no code needs refundTo, and no wallet of the account is taken for it', async () => {
  const payment = await payFinally(api, { byContract: true });
  const { address } = payment.payer;
  const code = (await client.getCode({ address })) ?? '0x';
  await client.setCode({ address, bytecode: '0x' });
  for (const body of [{}, { refundTo: wallet.address }])
    expect(refusalOf(await create(payment.id, body))).toMatchObject({
      status: 422,
      error: 'refund_recipient_needed',
      param: 'refundTo',
    });
  const made = await prepare(payment.id, { refundTo: stranger.address, amount: '500000' });
  expect([made.refund.to, made.sign.typedData.message.to]).toEqual(Array(2).fill(stranger.address.toLowerCase()));
  expect((await submit(made.refund.id, { signature: await signatureOf(made, wallet) })).statusCode).toBe(202);
  // It is deployed on this chain again.
  await client.setCode({ address, bytecode: code });
  expect((await prepare(payment.id)).refund).toMatchObject({ to: address.toLowerCase(), amount: '1000000' });
});

test('the owner of the merchant’s contract wallet signs for it, and nobody else', async () => {
  const owner = privateKeyToAccount(generatePrivateKey());
  const own = (await deployWallet(owner.address)).toLowerCase() as Hex;
  await mint(USDC, own, 1_500_000n);
  const { accountId } = api.account;
  const payout = { account_id: accountId, mode: 'test', network: 'eip155:31337', payout_id: 77, merchant: own };
  await insertRow(pool, 'payouts', { ...payout, processor: PROCESSOR, status: 'active' });
  const payment = await payFinally(api);
  const made = await prepare(payment.id, { from: own });
  expect(made.refund.from).toBe(own);
  for (const signer of [wallet, stranger]) {
    const answer = refusalOf(await submit(made.refund.id, { signature: await signatureOf(made, signer) }));
    expect(answer).toMatchObject({ status: 422, error: 'refund_signature_invalid' });
  }
  expect(await totalsOf(payment.id)).toMatchObject({ reserved: '0' });
  expect((await submit(made.refund.id, { signature: await signatureOf(made, owner) })).statusCode).toBe(202);
  const { rows } = await pool.query('select wallet, by_contract from svc.refunds where id = $1', [made.refund.id]);
  expect(rows).toEqual([{ wallet: own, by_contract: true }]);
});
