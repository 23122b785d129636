// The regular flow on a real chain: the payer sends transactions of his own, and the chain reader finds them.
import type { RegularOption } from '@svc-pay/protocol';
import { createTestClient, http, parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type DirectShop, intentOf, openDirectShop, paymentsOf, readerHasToken } from './direct-shop.ts';
import { entriesOf, eventsOf, NO_WAIT, onePayer, PRICE, usdcOf } from './follow-payment.ts';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import { createFallback, createRegular, type RegularPayer, regularOf, regularPayer } from './regular-payer.ts';
import { startWorld } from './start-world.ts';
import { createIntent, post, prepare, type SettleCall, settle, signHeader } from './wallet.ts';

const world = await startWorld({
  ...NO_WAIT,
  // Two endpoints agree within one run of the reader.
  rpcUrls: async (url) => [url, url.replace('127.0.0.1', 'localhost')],
  settlement: { SVC_READER_EVERY_MS: '200', SVC_READER_CLAIM_MS: '500' },
});
const { chain, shop, database } = world;
const { pool } = database;
const usdc = { usdAmount: '1.5', tokenShortcode: 'anvil_usdc' };
let payer: RegularPayer;
let direct: DirectShop;

beforeAll(async () => {
  payer = await regularPayer(world);
  direct = await openDirectShop(world, 'exclusive');
  await readerHasToken(world);
});

afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

type Intent = { readonly paymentIntentId: string };
const isCompleted = (intent: Intent) =>
  waitFor(async () => (await intentOf(world, intent)).status === 'completed', 30, 'the intent is completed');

/** Paid once, by this transaction, and told once. */
async function expectPaid(intent: Intent, transactionId: string): Promise<void> {
  await isCompleted(intent);
  const payments = await paymentsOf(world, intent);
  expect(payments.filter(({ status }) => status !== 'failed')).toEqual([
    {
      status: 'completed',
      settlement: 'completed',
      foreign: transactionId,
      proofs: 1,
      events: ['payment.created', 'payment.completed'],
    },
  ]);
}

const isOffered = async () =>
  (await post(`${world.apiUrl}/sdk/public/payments/intents/x402`, shop.publishableKey, usdc)).status === 402;

const onlyOption = ({ regular }: { readonly regular: readonly RegularOption[] }): RegularOption => {
  const [option, ...others] = regular;
  if (option === undefined || others.length > 0) throw new Error(`${regular.length} options`);
  return option;
};

test('an ordinary account approves and pays: the intent is completed, divided and told once', async () => {
  const created = await createRegular(world, usdc);
  const before = await usdcOf(world, shop.merchant);
  await expectPaid(created, await payer.pay(onlyOption(created)));
  const events = await eventsOf(world, created as unknown as SettleCall);
  expect(events.map(({ type }) => type)).toEqual(['payment_intent.created', 'payment.created', 'payment.completed']);
  expect(events.at(-1)?.data.object).toMatchObject({ paidAmount: PRICE.toString() });
  const net = (PRICE * BigInt(10_000 - shop.feeBps - 1_033)) / 10_000n;
  const got = (await usdcOf(world, shop.merchant)) - before;
  expect(got >= net && got <= net + 3n).toBe(true);
  expect(await entriesOf(world, created as unknown as SettleCall)).toContain(`merchant ${got}`);
  expect((await regularOf(world, created.paymentIntentId)).regular).toEqual([]);
});

test('a token that nobody can sign for falls back, and the same intent is paid in it', async () => {
  const fallback = await createFallback(world, { usdAmount: '2', tokenShortcode: 'anvil_plain' });
  expect(fallback.error).toBe('x402_not_available_for_token');
  const option = onlyOption(fallback);
  expect(option).toMatchObject({ kind: 'evm_processor', token: chain.tokens.plain, amount: '2000000' });
  await expectPaid(fallback, await payer.pay(option));
});

test('a token with a permit alone is paid without one', async () => {
  const created = await createRegular(world, { usdAmount: '5', tokenShortcode: 'anvil_vol' });
  await expectPaid(created, await payer.pay(onlyOption(created)));
});

test('an amount below the minimum of X402 falls back, and the same intent is paid', async () => {
  await pool.query('update svc.account_modes set minimum_usd_micros = 9000000 where account_id = $1', [shop.accountId]);
  onTestFinished(async () => {
    await pool.query('update svc.account_modes set minimum_usd_micros = null');
    await waitFor(isOffered, 10, 'X402 is offered again');
  });
  await waitFor(async () => !(await isOffered()), 10, 'the API knows the minimum');
  const fallback = await createFallback(world, usdc);
  expect(fallback.error).toBe('x402_minimum_amount_not_met');
  await expectPaid(fallback, await payer.pay(onlyOption(fallback)));
});

test('a header that settle refuses for the minimum falls back: the intent is paid by the payer’s own transaction', async () => {
  const signer = await onePayer(world);
  const { paymentIntentId, accepts } = await createIntent(world);
  const [acceptance] = accepts;
  if (acceptance === undefined) throw new Error('nothing is accepted');
  await pool.query('update svc.acceptances set minimum_usd_micros = 9000000 where intent_id = $1', [paymentIntentId]);
  const paymentHeader = await signHeader(signer, acceptance);
  const refused = await settle(world, { paymentIntentId, paymentHeader, paymentRequirements: acceptance });
  expect(refused).toMatchObject({ status: 'failed', error: 'x402_minimum_amount_not_met' });
  const option = onlyOption(await regularOf(world, paymentIntentId));
  await expectPaid({ paymentIntentId }, await payer.pay(option));
  expect(await settle(world, { paymentIntentId, paymentHeader, paymentRequirements: acceptance })).not.toMatchObject({
    status: 'processing',
  });
});

describe('a direct payout', () => {
  test('is paid by the payer’s own transferWithAuthorization', async () => {
    const created = await createRegular({ ...world, shop: direct }, usdc);
    const option = onlyOption(created);
    expect(option).toMatchObject({ kind: 'evm_authorization', payTo: direct.wallet });
    const before = await usdcOf(world, direct.wallet);
    await expectPaid(created, await payer.pay(option));
    expect((await usdcOf(world, direct.wallet)) - before).toBe(PRICE);
  });

  test('is paid so for an X402 intent too, which the payer’s wallet does not sign for', async () => {
    const intent = await createIntent({ ...world, shop: direct });
    const option = onlyOption(await regularOf({ ...world, shop: direct }, intent.paymentIntentId));
    await expectPaid(intent, await payer.pay(option));
  });
});

test('a header to the letter of a regular acceptance is refused, and the intent stays payable', async () => {
  const created = await createRegular(world, usdc);
  const [acceptance] = (await createIntent(world)).accepts;
  if (acceptance === undefined) throw new Error('nothing is accepted');
  const paymentHeader = await signHeader(await onePayer(world), acceptance);
  const { paymentIntentId } = created;
  const refused = await settle(world, { paymentIntentId, paymentHeader, paymentRequirements: acceptance });
  expect(refused).toMatchObject({ status: 'failed', error: 'acceptance_mismatch' });
  expect(await paymentsOf(world, created)).toEqual([]);
  await expectPaid(created, await payer.pay(onlyOption(created)));
});

test('a pay that arrives while a header is queued removes that header first; new intents fall back while nobody can relay', async () => {
  const signer = await onePayer(world);
  const { paymentIntentId, accepts } = await createIntent(world);
  const [acceptance] = accepts;
  if (acceptance === undefined) throw new Error('nothing is accepted');
  const option = onlyOption(await regularOf(world, paymentIntentId));
  const call = {
    paymentIntentId,
    paymentHeader: await signHeader(signer, acceptance),
    paymentRequirements: acceptance,
  };
  // The relayer can't pay for gas, so the header stays queued.
  const [relayer] = chain.keys.relayers;
  if (relayer === undefined) throw new Error('no relayer');
  const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
  const setCoins = (value: bigint) => node.setBalance({ address: relayer.account.address, value });
  await setCoins(0n);
  onTestFinished(() => setCoins(parseEther('10000')));
  expect((await settle(world, call)).status).toBe('processing');
  const transactionId = await payer.pay(option);
  await expectPaid({ paymentIntentId }, transactionId);
  const failed = (await paymentsOf(world, { paymentIntentId })).filter(({ status }) => status === 'failed');
  expect(failed).toMatchObject([{ foreign: null, proofs: 0 }]);
  // What nobody can relay now is paid by the payers themselves.
  await waitFor(async () => !(await isOffered()), 30, 'the network is withdrawn');
  const fallback = await createFallback(world, usdc);
  expect(fallback.error).toBe('x402_temporarily_unavailable');
  await expectPaid(fallback, await payer.pay(onlyOption(fallback)));
  // The lane can send again, and the payer of the header keeps his money.
  const before = await usdcOf(world, signer.address);
  await setCoins(parseEther('10000'));
  const other = await onePayer(world);
  await waitFor(isOffered, 30, 'X402 is offered again');
  const later = await prepare(world, other);
  await waitFor(async () => (await settle(world, later)).status === 'succeeded', 30, 'the lane sends again');
  expect(await usdcOf(world, signer.address)).toBe(before);
});
