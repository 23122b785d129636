import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type DirectShop,
  openDirectShop,
  paymentsOf,
  prepareDirect,
  readerHasToken,
  settleDirect,
} from './direct-shop.ts';
import { entriesOf, onePayer, PRICE, usdcOf } from './follow-payment.ts';
import { ledgerCheck } from './ledger-check.ts';
import { startWorld } from './start-world.ts';

const world = await startWorld();
let shop: DirectShop;

beforeAll(async () => {
  shop = await openDirectShop(world, 'exclusive');
  await readerHasToken(world);
});

afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

const batchCount = async () =>
  (await world.database.pool.query<{ count: number }>('select count(*)::integer as count from svc.batches')).rows[0]
    ?.count ?? 0;

test('a payer signs to the merchant’s wallet, and every unit arrives there: no fee, no split, no processor', async () => {
  const payer = await onePayer(world);
  const before = await usdcOf(world, payer.address);
  const call = await prepareDirect(world, shop, payer, 'bound');
  const settled = await settleDirect(world, call);
  expect(settled).toMatchObject({
    status: 'succeeded',
    transactionId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    paymentIntent: { status: 'completed' },
    payment: { status: 'completed', paidAmount: PRICE.toString() },
  });
  expect(await usdcOf(world, payer.address)).toBe(before - PRICE);
  expect(await usdcOf(world, shop.wallet)).toBe(PRICE);
  expect(await entriesOf(world, call)).toEqual([`merchant ${PRICE}`, `payer -${PRICE}`]);
  expect(await paymentsOf(world, call)).toEqual([
    {
      status: 'completed',
      settlement: 'completed',
      foreign: null,
      proofs: 1,
      events: ['payment.created', 'payment.completed'],
    },
  ]);
  expect(await settleDirect(world, call)).toEqual(settled);
});

test('a contract wallet (ERC-1271) pays the merchant’s wallet', async () => {
  const { account } = await world.chain.newKey();
  const address: Address = await world.chain.deployWallet(account.address);
  await world.chain.mint(world.chain.tokens.usdc, address, PRICE);
  const call = await prepareDirect(world, shop, { address, signer: account }, 'drawn');
  expect((await settleDirect(world, call)).status).toBe('succeeded');
  expect(await usdcOf(world, address)).toBe(0n);
});

test('64 settles of one header at once: one transaction, 64 equal answers, one payment', async () => {
  const call = await prepareDirect(world, shop, await onePayer(world), 'drawn');
  const [before, held] = [await batchCount(), await usdcOf(world, shop.wallet)];
  const answers = await Promise.all(Array.from({ length: 64 }, () => settleDirect(world, call)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.status).toBe('succeeded');
  expect(await batchCount()).toBe(before + 1);
  expect(await usdcOf(world, shop.wallet)).toBe(held + PRICE);
  expect(await paymentsOf(world, call)).toMatchObject([{ status: 'completed', proofs: 1 }]);
});

test('payments of one payer, amount and wallet in one moment each have a transfer of their own', async () => {
  const payer = await onePayer(world);
  const calls = await Promise.all(Array.from({ length: 8 }, () => prepareDirect(world, shop, payer, 'bound')));
  const held = await usdcOf(world, shop.wallet);
  const answers = await Promise.all(calls.map((call) => settleDirect(world, call)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['succeeded']));
  expect(new Set(answers.map(({ payment }) => payment?.transactionSplitId)).size).toBe(8);
  expect(await usdcOf(world, shop.wallet)).toBe(held + 8n * PRICE);
});

test('one header for two intents pays one of them', async () => {
  const [first, other] = await Promise.all(
    [1, 2].map(async () => prepareDirect(world, shop, await onePayer(world), 'drawn')),
  );
  if (first === undefined || other === undefined) throw new Error('no calls');
  const moved = { ...first, paymentIntentId: other.paymentIntentId };
  const answers = await Promise.all([settleDirect(world, first), settleDirect(world, moved)]);
  expect(answers.map(({ status }) => status).sort()).toEqual(['failed', 'succeeded']);
});
