import type { Address } from 'viem';
import { afterAll, describe, expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { richPayers } from './many-payments.ts';
import { startWorld } from './start-world.ts';
import { createIntent, payerOf, prepare, settle, signHeader } from './wallet.ts';

const world = await startWorld();

afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

const PRICE = 1_500_000n;
const usdcOf = (owner: Address) => world.chain.balanceOf(world.chain.tokens.usdc, owner);
const batchCount = async () =>
  (await world.database.pool.query<{ count: number }>('select count(*)::integer as count from svc.batches')).rows[0]
    ?.count ?? 0;

test('a wallet pays by the 402 body alone, and every unit is where the terms say', async () => {
  const [payer] = await richPayers(world, 1);
  if (payer === undefined) throw new Error('no payer');
  const { shop, chain } = world;
  const recipients = [shop.merchant, ...shop.splits.map(({ to }) => to), chain.plan.feeRecipient];
  const before = await Promise.all([payer.address, ...recipients].map(usdcOf));
  const call = await prepare(world, payer);
  const settled = await settle(world, call);
  expect(settled).toMatchObject({
    status: 'succeeded',
    transactionId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    canisterTxId: expect.any(Number),
    externalCostAmount: expect.stringMatching(/^[1-9]\d*$/),
    paymentIntent: { status: 'completed' },
    payment: { status: 'completed', paidAmount: PRICE.toString() },
  });
  expect(settled.payment?.transactionSplitId).toMatch(new RegExp(`^${settled.transactionId}:\\d+$`));
  const after = await Promise.all([payer.address, ...recipients].map(usdcOf));
  const gained = after.map((balance, index) => balance - (before[index] ?? 0n));
  // Fee 1 %, splits 10 % and 0.33 %, each rounded down; the merchant gets the rest.
  expect(gained).toEqual([-PRICE, 1_330_050n, 150_000n, 4_950n, 15_000n]);

  const { rows } = await world.database.pool.query(
    'select type from svc.events where intent_id = $1 order by sequence',
    [call.paymentIntentId],
  );
  expect(rows.map(({ type }) => type)).toEqual(['payment_intent.created', 'payment.created', 'payment.completed']);
  expect(await settle(world, call)).toEqual(settled);
});

test('a contract wallet (ERC-1271) pays', async () => {
  const { account } = await world.chain.newKey();
  const address = await world.chain.deployWallet(account.address);
  await world.chain.mint(world.chain.tokens.usdc, address, PRICE);
  const settled = await settle(world, await prepare(world, { address, signer: account }));
  expect(settled.status).toBe('succeeded');
  expect(await usdcOf(address)).toBe(0n);
});

test('the nonce that the acceptance offers pays, by a key and by a contract wallet; only the processor can submit it', async () => {
  const { account } = await world.chain.newKey();
  const wallet = await world.chain.deployWallet(account.address);
  for (const address of [account.address, wallet]) {
    await world.chain.mint(world.chain.tokens.usdc, address, PRICE);
    const payer = { address, signer: account };
    const call = await prepare(world, payer);
    const paymentHeader = await signHeader(payer, call.paymentRequirements, undefined, true);
    expect(await settle(world, { ...call, paymentHeader })).toMatchObject({ status: 'succeeded' });
    expect(await usdcOf(address)).toBe(0n);
    const { rows } = await world.database.pool.query('select kind from svc.authorizations where intent_id = $1', [
      call.paymentIntentId,
    ]);
    expect(rows).toEqual([{ kind: 'receive_with_authorization' }]);
  }
});

test('a token with nothing but Permit is paid, twice, by the nonce that the acceptance names', async () => {
  const { account } = await world.chain.newKey();
  const { vol } = world.chain.tokens;
  await world.chain.mint(vol, account.address, 10n ** 18n);
  const body = { usdAmount: '1', tokenShortcode: 'anvil_vol', expectedSenderPrincipal: account.address };
  for (const nonce of ['0', '1']) {
    const call = await prepare(world, payerOf(account), body);
    expect(call.paymentRequirements.extra).toMatchObject({ primaryType: 'Permit', permitNonce: nonce });
    expect((await settle(world, call)).status).toBe('succeeded');
  }
  // At a price of 2.5 dollars per token, one dollar is 0.4 tokens.
  expect(await world.chain.balanceOf(vol, account.address)).toBe(2n * 10n ** 17n);
});

test('64 settles of one header at once: one transaction, 64 equal answers', async () => {
  const [payer] = await richPayers(world, 1);
  if (payer === undefined) throw new Error('no payer');
  const call = await prepare(world, payer);
  const before = await batchCount();
  const answers = await Promise.all(Array.from({ length: 64 }, () => settle(world, call)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.status).toBe('succeeded');
  expect(await batchCount()).toBe(before + 1);
});

test('one authorization on two intents: one is paid, the other is refused by name', async () => {
  const [payer] = await richPayers(world, 1);
  if (payer === undefined) throw new Error('no payer');
  const first = await prepare(world, payer);
  const second = await createIntent(world);
  const answers = await Promise.all([
    settle(world, first),
    settle(world, { ...first, paymentIntentId: second.paymentIntentId }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual(['failed', 'succeeded']);
  expect(answers.find(({ status }) => status === 'failed')?.error).toBe('authorization_bound_elsewhere');
  expect(await usdcOf(payer.address)).toBe(PRICE * 999n);
});

test('a wallet emptied after it signed fails by name, nothing moves, and another signature pays the intent', async () => {
  const [poor, rich] = await richPayers(world, 2);
  if (poor === undefined || rich === undefined) throw new Error('no payers');
  const call = await prepare(world, poor);
  await world.chain.emptyWallet(world.chain.tokens.usdc, poor.address);
  expect(await settle(world, call)).toMatchObject({ status: 'failed', error: 'insufficient_funds', payment: null });
  const again = { ...call, paymentHeader: await signHeader(rich, call.paymentRequirements) };
  expect((await settle(world, again)).status).toBe('succeeded');
});

describe('doors', () => {
  const lanes = (key?: string) =>
    fetch(`${world.internalUrl}/lanes`, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });

  test('the internal listener takes its own key and no other', async () => {
    expect((await lanes()).status).toBe(401);
    expect((await lanes(world.shop.publishableKey)).status).toBe(401);
    expect((await lanes(world.shop.secretKey)).status).toBe(401);
    expect((await lanes(`${world.internalKey}x`)).status).toBe(401);
    expect((await lanes(world.internalKey)).status).toBe(200);
  });

  test('the public listener knows nothing of it', async () => {
    for (const path of ['/lanes', '/evm/settlement/x402-upto']) {
      const headers = { authorization: `Bearer ${world.internalKey}` };
      expect((await fetch(`${world.apiUrl}${path}`, { headers })).status).toBe(404);
    }
  });
});
