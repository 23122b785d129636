import { mockUsdcAbi } from '@svc-pay/evm';
import { makeTokenOdd } from '@svc-pay/evm/testing';
import { type Address, createWalletClient, http, publicActions } from 'viem';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type DirectCall,
  type DirectShop,
  intentOf,
  openDirectShop,
  paymentsOf,
  prepareDirect,
  readerHasToken,
  settleDirect,
  unattributedOf,
} from './direct-shop.ts';
import { entriesOf, NO_WAIT, onePayer, PRICE, usdcOf } from './follow-payment.ts';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import { approvedPayer } from './open-pay.ts';
import { openShop } from './open-shop.ts';
import { startWorld } from './start-world.ts';
import { signedIn, submitDirectly } from './stranger.ts';
import { createIntent, payerOf, post, signHeader } from './wallet.ts';

const world = await startWorld({
  ...NO_WAIT,
  // Two endpoints agree within one run of the reader.
  rpcUrls: async (url) => [url, url.replace('127.0.0.1', 'localhost')],
  settlement: { SVC_READER_EVERY_MS: '200', SVC_READER_CLAIM_MS: '500' },
});
const { chain } = world;
let exclusive: DirectShop;
let shared: DirectShop;

beforeAll(async () => {
  exclusive = await openDirectShop(world, 'exclusive');
  shared = await openDirectShop(world, 'shared');
  await readerHasToken(world);
});

afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

const settlesAs = (call: DirectCall, status: string) =>
  waitFor(async () => (await settleDirect(world, call)).status === status, 20, status);
const intentIs = (call: Pick<DirectCall, 'paymentIntentId'>, status: string) =>
  waitFor(async () => (await intentOf(world, call)).status === status, 20, `the intent is ${status}`);

const TOLD_ONCE = ['payment.created', 'payment.completed'];

/** Booked once and told once: one completed payment, one log, its events, and no completion of another. */
async function expectPaidOnce(call: DirectCall, foreign: string | null): Promise<void> {
  const payments = await paymentsOf(world, call);
  expect(payments.filter(({ status }) => status === 'completed')).toEqual([
    { status: 'completed', settlement: 'completed', foreign, proofs: 1, events: TOLD_ONCE },
  ]);
  expect(payments.flatMap(({ events }) => events).filter((type) => type === 'payment.completed')).toHaveLength(1);
}

const processorPayout = async (accountId: string): Promise<bigint> => {
  const { rows } = await world.database.pool.query<{ payout_id: string }>(
    `select payout_id from svc.payouts where account_id = $1 and kind = 'processor'`,
    [accountId],
  );
  return BigInt(rows[0]?.payout_id ?? 0);
};

test.each(['exclusive', 'shared'] as const)(
  'a signature that bought something elsewhere before it came here buys nothing (%s); a bound one completes its intent, once',
  async (use) => {
    const shop = use === 'exclusive' ? exclusive : shared;
    const payer = await onePayer(world);
    const drawn = await prepareDirect(world, shop, payer, 'drawn');
    const bound = await prepareDirect(world, shop, payer, 'bound');
    await submitDirectly(world, drawn);
    const transactionId = await submitDirectly(world, bound);
    expect(await settleDirect(world, drawn)).toMatchObject({ status: 'failed', error: 'authorization_already_used' });
    await settlesAs(bound, 'succeeded');
    await expectPaidOnce(bound, transactionId);
    expect(await intentOf(world, drawn)).toMatchObject({ status: 'requires_payment' });
    expect(await paymentsOf(world, drawn)).toEqual([]);
  },
);

test('a bound signature that never came here completes its intent all the same', async () => {
  const call = await prepareDirect(world, exclusive, await onePayer(world), 'bound');
  const transactionId = await submitDirectly(world, call);
  await intentIs(call, 'completed');
  await expectPaidOnce(call, transactionId);
  // No signature is stored that the header could be compared with: its claim finds the payment.
  expect(await settleDirect(world, call)).toMatchObject({ status: 'succeeded', transactionId });
});

test('a signature that lands after the cancellation is told to whoever has its header, for its own intent and account alone', async () => {
  const { account } = await chain.newKey();
  const call = await prepareDirect(world, exclusive, payerOf(account), 'drawn');
  const [open, ended] = [
    await prepareDirect(world, exclusive, payerOf(account), 'drawn'),
    await prepareDirect(world, exclusive, payerOf(account), 'drawn'),
  ];
  expect(await settleDirect(world, call)).toMatchObject({ status: 'failed', error: 'insufficient_funds' });
  for (const { paymentIntentId: id } of [call, ended]) {
    const canceled = await post(`${world.apiUrl}/sdk/payments/intents/${id}/cancel`, exclusive.secretKey, {});
    expect(canceled.status).toBe(200);
  }
  await chain.mint(chain.tokens.usdc, account.address, PRICE);
  const transactionId = await submitDirectly(world, call);
  await settlesAs(call, 'mismatched');
  expect(await settleDirect(world, call)).toMatchObject({ transactionId, payment: { status: 'mismatched' } });
  const replay = (at: DirectCall) => settleDirect(world, { ...at, paymentHeader: call.paymentHeader });
  const NOTHING = { status: 'failed', payment: null, transactionId: null };
  expect(await replay(open)).toMatchObject({ ...NOTHING, error: 'authorization_bound_elsewhere' });
  expect(await replay(ended)).toMatchObject({ ...NOTHING, error: 'intent_not_payable' });
  await expect(replay({ ...call, shop: shared })).rejects.toThrow('404');
});

test('a stranger submits after our claim: completed once where the wallet is exclusive or the nonce bound, else held', async () => {
  const payer = await onePayer(world);
  const calls = {
    exclusive: await prepareDirect(world, exclusive, payer, 'drawn'),
    bound: await prepareDirect(world, shared, payer, 'bound'),
    shared: await prepareDirect(world, shared, payer, 'drawn'),
  };
  await world.settlement.kill('SIGKILL');
  for (const call of Object.values(calls)) expect((await settleDirect(world, call)).status).toBe('processing');
  const transactions = {
    exclusive: await submitDirectly(world, calls.exclusive),
    bound: await submitDirectly(world, calls.bound),
    shared: await submitDirectly(world, calls.shared),
  };
  await world.settlement.start();
  await Promise.all([settlesAs(calls.exclusive, 'succeeded'), settlesAs(calls.bound, 'succeeded')]);
  await expectPaidOnce(calls.exclusive, transactions.exclusive);
  await expectPaidOnce(calls.bound, transactions.bound);
  const isHeld = async () => (await paymentsOf(world, calls.shared))[0]?.settlement === 'held';
  await waitFor(
    async () => (await unattributedOf(world, transactions.shared)).length === 1,
    20,
    'the receipt is stored',
  );
  expect(await isHeld()).toBe(true);
  expect(await intentOf(world, calls.shared)).toMatchObject({ status: 'processing' });
});

test('an emptied wallet is refused, the intent paid by another, and the refilled signature becomes a payment of its own', async () => {
  const { account } = await chain.newKey();
  const poor = payerOf(account);
  const late = await prepareDirect(world, exclusive, poor, 'bound');
  expect(await settleDirect(world, late)).toMatchObject({ status: 'failed', error: 'insufficient_funds' });
  expect(await intentOf(world, late)).toMatchObject({ status: 'requires_payment' });
  const rich = await onePayer(world);
  const paid = { ...late, paymentHeader: await signHeader(rich, late.paymentRequirements) };
  await settleDirect(world, paid);
  await settlesAs(paid, 'succeeded');
  await chain.mint(chain.tokens.usdc, poor.address, PRICE);
  const transactionId = await submitDirectly(world, late);
  await waitFor(async () => (await paymentsOf(world, late)).length === 2, 20, 'a payment of its own');
  const payments = await paymentsOf(world, late);
  expect(payments.map(({ status }) => status).sort()).toEqual(['completed', 'mismatched']);
  const own = payments.find(({ status }) => status === 'mismatched');
  expect(own).toMatchObject({
    foreign: transactionId,
    proofs: 1,
    events: ['payment.created', 'payment.updated'],
  });
  await expectPaidOnce(paid, null);
  expect(await intentOf(world, late)).toMatchObject({ status: 'completed' });
});

test('a refused signature whose wallet is refilled pays its intent if nobody else has', async () => {
  const { account } = await chain.newKey();
  const call = await prepareDirect(world, exclusive, payerOf(account), 'drawn');
  expect(await settleDirect(world, call)).toMatchObject({ status: 'failed', error: 'insufficient_funds' });
  await chain.mint(chain.tokens.usdc, account.address, PRICE);
  const transactionId = await submitDirectly(world, call);
  await intentIs(call, 'completed');
  await expectPaidOnce(call, transactionId);
});

test('a payment by pay() completes its intent; a rival’s payout with the victim’s code and one unit change nothing', async () => {
  const { apiUrl, shop } = world;
  const rival = await openShop(world.database.pool, chain);
  const [payoutId, rivalPayout] = [await processorPayout(shop.accountId), await processorPayout(rival.accountId)];
  const [wanted, victim, dusted] = await Promise.all([1, 2, 3].map(() => createIntent({ apiUrl, shop })));
  if (wanted === undefined || victim === undefined || dusted === undefined) throw new Error('no intents');
  const payer = await approvedPayer(world, 3n * PRICE);
  const codeOf = async (call: { readonly paymentIntentId: string }) => (await intentOf(world, call)).code;
  const attempts = {
    rival: await payer.pay(await codeOf(victim), rivalPayout, PRICE),
    dust: await payer.pay(await codeOf(dusted), payoutId, 1n),
    paid: await payer.pay(await codeOf(wanted), payoutId, PRICE),
  };
  await intentIs(wanted, 'completed');
  await expectPaidOnce({ ...wanted, shop } as unknown as DirectCall, attempts.paid);
  await waitFor(
    async () =>
      (await unattributedOf(world, attempts.rival)).length + (await unattributedOf(world, attempts.dust)).length === 2,
    20,
    'both receipts are shown',
  );
  for (const intent of [victim, dusted]) {
    expect(await intentOf(world, intent)).toMatchObject({ status: 'requires_payment' });
    expect(await paymentsOf(world, intent)).toEqual([]);
  }
});

test('a stolen relayer key pays its own gas: it can’t turn a signature to another wallet', async () => {
  const payer = await onePayer(world);
  const call = await prepareDirect(world, exclusive, payer, 'drawn');
  const { authorization, signature } = signedIn(call);
  const [thief] = chain.keys.relayers;
  if (thief === undefined) throw new Error('no relayer');
  const wallet: Address = `0x${'bad0'.repeat(10)}`;
  const client = createWalletClient({ account: thief.account, transport: http(chain.rpcUrl) }).extend(publicActions);
  const { from, value, validAfter, validBefore, nonce } = authorization;
  const submitTo = (to: Address) =>
    client.simulateContract({
      abi: mockUsdcAbi,
      address: chain.tokens.usdc,
      functionName: 'transferWithAuthorization',
      args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
      account: thief.account,
    });
  const before = await usdcOf(world, payer.address);
  await expect(submitTo(wallet)).rejects.toThrow('invalid signature');
  // Nothing but the wallet is wrong with that call.
  await expect(submitTo(exclusive.wallet)).resolves.toHaveProperty('request');
  expect(await usdcOf(world, payer.address)).toBe(before);
  await settleDirect(world, call);
  await settlesAs(call, 'succeeded');
  expect(await usdcOf(world, wallet)).toBe(0n);
});

test('two payments that would share one transfer: one is booked and told, the other failed, and no intent is paid twice', async () => {
  const payer = await onePayer(world);
  const makeUsual = await makeTokenOdd(chain.rpcUrl, chain.tokens.usdc, 'use without transfer');
  onTestFinished(makeUsual);
  // The odd token moves the money of this use, not of the next, and of the one after it again.
  await submitDirectly(world, await prepareDirect(world, exclusive, payer, 'bound'));
  const calls = [
    await prepareDirect(world, exclusive, payer, 'bound'),
    await prepareDirect(world, exclusive, payer, 'bound'),
  ];
  const [paid, held] = [await usdcOf(world, payer.address), await usdcOf(world, exclusive.wallet)];
  await world.settlement.kill('SIGKILL');
  for (const call of calls) expect((await settleDirect(world, call)).status).toBe('processing');
  await world.settlement.start();
  const ends = async () => Promise.all(calls.map(async (call) => (await settleDirect(world, call)).status));
  await waitFor(async () => (await ends()).sort().join() === 'failed,succeeded', 20, 'one failed and one succeeded');
  expect(await usdcOf(world, payer.address)).toBe(paid - PRICE);
  expect(await usdcOf(world, exclusive.wallet)).toBe(held + PRICE);
  const won = calls[(await ends()).indexOf('succeeded')];
  const lost = calls[(await ends()).indexOf('failed')];
  if (won === undefined || lost === undefined) throw new Error('no ends');
  await expectPaidOnce(won, null);
  expect(await intentOf(world, won)).toMatchObject({ status: 'completed' });
  expect(await paymentsOf(world, lost)).toEqual([
    { status: 'failed', settlement: 'failed', foreign: null, proofs: 0, events: ['payment.created', 'payment.failed'] },
  ]);
  expect(await entriesOf(world, lost)).toEqual([]);
});
