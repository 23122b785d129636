import { newId } from '@svc-pay/protocol/ids';
import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { richPayers } from './many-payments.ts';
import { openShop } from './open-shop.ts';
import { startWorld } from './start-world.ts';
import { confirm, prepareUpto, release, settleUpto } from './upto-calls.ts';
import { type Payer, post, settle, signHeader } from './wallet.ts';

const world = await startWorld();
const [payer] = (await richPayers(world, 1)) as [Payer];

afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

const CAP = 5_000_000n;
const usdcOf = (owner: Address) => world.chain.balanceOf(world.chain.tokens.usdc, owner);
const column = async (query: string, ...values: unknown[]) =>
  (await world.database.pool.query(query, values)).rows.map((row) => Object.values(row)[0]);
const events = (intentId: string) =>
  column('select type from svc.events where intent_id = $1 order by sequence', intentId);

/** Fee 1 %, splits 10 % and 0.33 %, each rounded down; the merchant gets the rest. */
const sharesOf = (settled: bigint) => {
  const [fee, first, second] = [settled / 100n, settled / 10n, (settled * 33n) / 10_000n];
  return { fee, splits: [first, second], merchant: settled - fee - first - second };
};

test.each([1n, CAP - 1n, CAP])('a cap of 5 USDC is confirmed, then settled with %s units', async (settled) => {
  const { shop, chain } = world;
  const recipients = [shop.merchant, ...shop.splits.map(({ to }) => to), chain.plan.feeRecipient];
  const balances = () => Promise.all([payer.address, ...recipients].map(usdcOf));
  const before = await balances();
  const call = await prepareUpto(world, payer);
  const { paymentIntentId } = call;
  const confirmed = await confirm(world, call);
  expect(confirmed).toMatchObject({
    httpStatus: 200,
    body: {
      ok: true,
      alreadyConfirmed: false,
      status: 'requires_payment',
      paymentIntent: { metadata: { svc_x402_upto_max_amount_atomic: CAP.toString() } },
    },
  });
  expect(await balances()).toEqual(before);

  const body = { paymentIntentId, settledAmount: settled.toString() };
  const first = await settleUpto(world, body);
  const { fee, splits, merchant } = sharesOf(settled);
  expect(first).toMatchObject({
    httpStatus: 200,
    body: {
      ok: true,
      status: 'succeeded',
      intentStatus: 'completed',
      transactionId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      settledAmount: settled.toString(),
      capAmount: CAP.toString(),
      refundAmount: (CAP - settled).toString(),
      platformFeeAmount: fee.toString(),
      payment: {
        status: 'completed',
        amount: settled.toString(),
        paidAmount: settled.toString(),
        requestedAmount: CAP.toString(),
      },
      paymentIntent: {
        status: 'completed',
        metadata: { svc_x402_upto_settled_amount_atomic: settled.toString() },
      },
    },
  });
  const gained = (await balances()).map((balance, index) => balance - (before[index] ?? 0n));
  expect(gained).toEqual([-settled, merchant, ...splits, fee]);
  expect(await settleUpto(world, body)).toEqual(first);
  expect(await settleUpto(world, { ...body, settledAmount: settled === 1n ? '2' : '1' })).toMatchObject({
    httpStatus: 409,
    body: { error: 'upto_already_settled' },
  });
  expect(await events(paymentIntentId)).toEqual([
    'payment_intent.created',
    'x402_upto_authorization_received',
    'payment.created',
    'payment.completed',
  ]);
  expect(await column('select actor from svc.audit where target = $1', paymentIntentId)).toEqual([
    expect.stringMatching(/^key:key_/),
  ]);
});

test('a header is settled without having been confirmed, in dollars', async () => {
  const { paymentHeader, paymentIntentId } = await prepareUpto(world, payer);
  const body = { paymentIntentId, paymentHeader, settledAmountUsd: 1.2345678 };
  const settled = await settleUpto(world, body);
  // Rounded down: 1.2345678 dollars are 1,234,567.8 units.
  expect(settled.body).toMatchObject({ status: 'succeeded', settledAmount: '1234567', refundAmount: '3765433' });
  expect(await settleUpto(world, body)).toEqual(settled);
  expect(await settleUpto(world, { ...body, settledAmountUsd: '1.2345678' })).toEqual(settled);
  expect(await events(paymentIntentId)).toContain('x402_upto_authorization_received');
});

test('the same header confirmed 16 times at once: one claim, one event, one first answer', async () => {
  const call = await prepareUpto(world, payer);
  const answers = await Promise.all(Array.from({ length: 16 }, () => confirm(world, call)));
  expect(answers.map(({ body }) => body.ok)).toEqual(Array(16).fill(true));
  expect(answers.filter(({ body }) => body.alreadyConfirmed === false)).toHaveLength(1);
  expect(await events(call.paymentIntentId)).toEqual(['payment_intent.created', 'x402_upto_authorization_received']);
  const other = { ...call, paymentHeader: await signHeader(payer, call.paymentRequirements) };
  expect(await confirm(world, other)).toMatchObject({ httpStatus: 409, body: { error: 'upto_already_confirmed' } });
  const body = { paymentIntentId: call.paymentIntentId, settledAmount: '7' };
  expect(await settleUpto(world, { ...body, paymentHeader: other.paymentHeader })).toMatchObject({
    httpStatus: 409,
    body: { error: 'upto_already_confirmed' },
  });
  expect(await settleUpto(world, { ...body, paymentHeader: call.paymentHeader })).toMatchObject({
    body: { status: 'succeeded' },
  });
});

test('one authorization confirmed on two intents: one keeps it, the other is refused by name', async () => {
  const first = await prepareUpto(world, payer);
  const second = await prepareUpto(world, payer);
  const answers = await Promise.all([
    confirm(world, first),
    confirm(world, { ...second, paymentHeader: first.paymentHeader }),
  ]);
  expect(answers.filter(({ body }) => body.ok)).toHaveLength(1);
  expect(answers.find(({ body }) => !body.ok)).toMatchObject({
    httpStatus: 200,
    body: { status: 'failed', error: 'authorization_bound_elsewhere', paymentIntent: { status: 'requires_payment' } },
  });
});

test('64 settles of one intent at once: one payment, 64 equal answers', async () => {
  const call = await prepareUpto(world, payer);
  await confirm(world, call);
  const body = { paymentIntentId: call.paymentIntentId, settledAmount: '4321' };
  const answers = await Promise.all(Array.from({ length: 64 }, () => settleUpto(world, body)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.body.status).toBe('succeeded');
  expect(await column('select count(*)::integer from svc.payments where intent_id = $1', call.paymentIntentId)).toEqual(
    [1],
  );
});

test('two amounts at once: one is charged, the other is refused', async () => {
  const call = await prepareUpto(world, payer);
  await confirm(world, call);
  const settleWith = (settledAmount: string) =>
    settleUpto(world, { paymentIntentId: call.paymentIntentId, settledAmount });
  const answers = await Promise.all([settleWith('1000'), settleWith('2000')]);
  expect(new Set(answers.map(({ httpStatus }) => httpStatus))).toEqual(new Set([200, 409]));
  const charged = answers.find(({ httpStatus }) => httpStatus === 200)?.body.settledAmount;
  expect(['1000', '2000']).toContain(charged);
});

test('an attempt that fails moves nothing, and is tried again inside the window', async () => {
  const [poor] = (await richPayers(world, 1)) as [Payer];
  const call = await prepareUpto(world, poor);
  await confirm(world, call);
  const { usdc } = world.chain.tokens;
  await world.chain.emptyWallet(usdc, poor.address);
  const body = { paymentIntentId: call.paymentIntentId, settledAmount: '900' };
  expect(await settleUpto(world, body)).toMatchObject({
    httpStatus: 200,
    body: { ok: false, status: 'failed', error: 'insufficient_funds', intentStatus: 'requires_payment' },
  });
  await world.chain.mint(usdc, poor.address, CAP);
  expect(await settleUpto(world, { ...body, settledAmount: '901' })).toMatchObject({ body: { status: 'succeeded' } });
  expect(await usdcOf(poor.address)).toBe(CAP - 901n);
});

test('a contract wallet (ERC-1271) gets its refund in a transaction of its own', async () => {
  const { account } = await world.chain.newKey();
  const address = await world.chain.deployWallet(account.address);
  await world.chain.mint(world.chain.tokens.usdc, address, CAP);
  const call = await prepareUpto(world, { address, signer: account });
  expect((await confirm(world, call)).body.ok).toBe(true);
  const settled = await settleUpto(world, { paymentIntentId: call.paymentIntentId, settledAmount: '123' });
  expect(settled.body).toMatchObject({ status: 'succeeded', refundAmount: (CAP - 123n).toString() });
  expect(await usdcOf(address)).toBe(CAP - 123n);
});

test('a released authorization is never charged, and the action is in the record', async () => {
  const call = await prepareUpto(world, payer);
  await confirm(world, call);
  const { paymentIntentId } = call;
  const released = await release(world, paymentIntentId);
  expect(released).toMatchObject({ httpStatus: 200, body: { paymentIntent: { status: 'canceled' } } });
  expect(await release(world, paymentIntentId)).toEqual(released);
  expect(await settleUpto(world, { paymentIntentId, settledAmount: '1' })).toMatchObject({
    httpStatus: 200,
    body: { ok: false, status: 'failed', error: 'intent_not_payable' },
  });
  expect(await column('select action from svc.audit where target = $1', paymentIntentId)).toEqual(['upto.released']);
});

describe('refused by name, with nothing written', () => {
  let intentId: string;
  beforeAll(async () => {
    const call = await prepareUpto(world, payer);
    await confirm(world, call);
    intentId = call.paymentIntentId;
  });
  afterAll(async () => {
    expect(await column('select count(*)::integer from svc.payments where intent_id = $1', intentId)).toEqual([0]);
  });

  test.each([
    [{ settledAmount: '0' }, 422, 'settled_amount_out_of_range'],
    [{ settledAmountUsd: 0 }, 422, 'settled_amount_out_of_range'],
    [{ settledAmountUsd: '0.0000001' }, 422, 'settled_amount_out_of_range'],
    [{ settledAmount: (CAP + 1n).toString() }, 422, 'settled_amount_out_of_range'],
    [{ settledAmountUsd: 5.000001 }, 422, 'settled_amount_out_of_range'],
    [{ settledAmount: '9'.repeat(90) }, 422, 'settled_amount_out_of_range'],
    [{ settledAmount: '-1' }, 400, 'invalid_amount'],
    [{ settledAmount: '1.5' }, 400, 'invalid_amount'],
    [{ settledAmountUsd: 'one' }, 400, 'invalid_amount'],
    [{}, 422, 'settled_amount_required'],
    [{ settledAmount: '1', settledAmountUsd: 1 }, 422, 'settled_amount_required'],
    [{ settledAmount: 1 }, 400, 'malformed_request'],
  ])('%j', async (amount, httpStatus, error) => {
    const answer = await settleUpto(world, { paymentIntentId: intentId, ...amount });
    expect(answer).toMatchObject({ httpStatus, body: { error, moneyMoved: 'no' } });
  });

  test('without x-account-id, or with another account in it', async () => {
    const body = { paymentIntentId: intentId, settledAmount: '1' };
    expect(await settleUpto(world, body, { headers: {} })).toMatchObject({
      httpStatus: 403,
      body: { error: 'account_id_required' },
    });
    expect(await settleUpto(world, body, { headers: { 'x-account-id': 'acct_other' } })).toMatchObject({
      httpStatus: 403,
      body: { error: 'account_mismatch' },
    });
  });

  test('with a publishable key', async () => {
    const body = { paymentIntentId: intentId, settledAmount: '1' };
    const headers = { 'x-account-id': world.shop.accountId };
    expect(await settleUpto(world, body, { key: world.shop.publishableKey, headers })).toMatchObject({
      httpStatus: 403,
      body: { error: 'key_kind_not_allowed' },
    });
  });

  test('by another account, whose answer is that of an intent which does not exist', async () => {
    const stranger = { apiUrl: world.apiUrl, shop: await openShop(world.database.pool, world.chain) };
    const body = { paymentIntentId: intentId, settledAmount: '1' };
    expect(await settleUpto(stranger, body)).toMatchObject({ httpStatus: 404, body: { error: 'not_found' } });
    expect(await release(stranger, intentId)).toMatchObject({ httpStatus: 404, body: { error: 'not_found' } });
  });

  test('by the public settle', async () => {
    const call = await prepareUpto(world, payer);
    expect(await settle(world, call)).toMatchObject({
      status: 'failed',
      error: 'x402_upto_settlement_requires_secret_key',
    });
  });

  test('an intent that is not up-to, for confirm, settle and release', async () => {
    const required = await post(`${world.apiUrl}/sdk/public/payments/intents/x402`, world.shop.publishableKey, {
      usdAmount: 1,
      tokenShortcode: 'anvil_usdc',
    });
    const { paymentIntentId } = (await required.json()) as { paymentIntentId: string };
    const refused = { httpStatus: 422, body: { error: 'not_an_upto_intent' } };
    expect(await settleUpto(world, { paymentIntentId, settledAmount: '1' })).toMatchObject(refused);
    expect(await release(world, paymentIntentId)).toMatchObject(refused);
    const call = await prepareUpto(world, payer);
    expect(await confirm(world, { ...call, paymentIntentId })).toMatchObject(refused);
  });

  test('an intent without an authorization', async () => {
    const { paymentIntentId } = await prepareUpto(world, payer);
    const answer = await settleUpto(world, { paymentIntentId, settledAmount: '1' });
    expect(answer).toMatchObject({ httpStatus: 409, body: { error: 'upto_not_confirmed' } });
  });

  test('an authorization with less than a minute left, at confirm and at settle', async () => {
    const short = await prepareUpto(world, payer, { windowSeconds: 59 });
    const refused = { httpStatus: 200, body: { ok: false, status: 'failed', error: 'authorization_expired' } };
    expect(await confirm(world, short)).toMatchObject(refused);
    const stored = await prepareUpto(world, payer, { windowSeconds: 61 });
    expect((await confirm(world, stored)).body.ok).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    const body = { paymentIntentId: stored.paymentIntentId, settledAmount: '1' };
    expect(await settleUpto(world, body)).toMatchObject(refused);
  });

  test('by settlement itself, whatever it is asked through the internal listener', async () => {
    const ask = async (body: object, key = world.internalKey) => {
      const response = await post(`${world.internalUrl}/evm/settlement/x402-upto`, key, body);
      return [response.status, ((await response.json()) as { error?: string }).error];
    };
    const owner = { accountId: world.shop.accountId, mode: 'test' };
    const body = { ...owner, paymentIntentId: intentId, settledAmount: '1' };
    expect(await ask(body, world.shop.secretKey)).toEqual([401, 'key_invalid']);
    expect(await ask({ ...body, mode: 'live' })).toEqual([404, 'not_found']);
    expect(await ask({ ...body, accountId: newId('account', 0) })).toEqual([404, 'not_found']);
    expect(await ask({ ...body, settledAmount: (CAP + 1n).toString() })).toEqual([422, 'settled_amount_out_of_range']);
    expect(await ask({ ...body, settledAmount: '0' })).toEqual([422, 'settled_amount_out_of_range']);
    expect(await ask({ ...body, settledAmount: 'x' })).toEqual([400, 'malformed_request']);
    expect(await ask({ ...body, paymentIntentId: 'pi_unknown' })).toEqual([404, 'not_found']);
    const { paymentIntentId } = await prepareUpto(world, payer);
    expect(await ask({ ...body, paymentIntentId })).toEqual([409, 'upto_not_confirmed']);
  });
});
