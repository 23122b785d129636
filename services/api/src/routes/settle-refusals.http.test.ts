// All codes that a header can be refused with, over HTTP and against a real chain.
import { addDenied } from '@svc-pay/postgres/operator';
import { settleResponse } from '@svc-pay/protocol';
import type { Hex } from 'viem';
import { keccak256, padHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, intentPath, SETTLE } from '../testing/call.ts';
import { USDC, VOL } from '../testing/payment-chain.ts';
import { type HeaderChange, newNonce, newPayer, signHeader } from '../testing/sign-header.ts';
import { type PayableIntent, startPayableApi } from '../testing/start-payable-api.ts';

const api = await startPayableApi();
const { pool } = api.database;
const key = api.account.keys.test.publishable;
const payer = newPayer();
await api.chain.mint(USDC, payer.address, 10n ** 12n);
await api.chain.mint(VOL, payer.address, 10n ** 30n);

const send = (body: object, headers = {}) => call(api, 'POST', SETTLE, { key, body, headers });
const settle = async (intent: PayableIntent, change: HeaderChange = {}, echo: object | null = intent.acceptance) =>
  send({
    paymentIntentId: intent.id,
    paymentHeader: await signHeader(payer, intent.acceptance, change),
    paymentRequirements: echo,
  });
const rowsAbout = async (id: string) => {
  const rows = await Promise.all(
    ['intents', 'payments', 'claims', 'authorizations', 'settlements'].map((table) =>
      pool.query(`select * from svc.${table} entry where ${table === 'intents' ? 'id' : 'intent_id'} = $1`, [id]),
    ),
  );
  return rows.map((result) => result.rows);
};
const attemptsOf = async (id: string) =>
  (await pool.query('select code, detail, payer from svc.attempts where intent_id = $1 order by id', [id])).rows;

const seconds = (offset: number) => String(Math.floor(Date.now() / 1_000) + offset);
const stranger = newPayer();
const poor = newPayer();

type Case = { readonly change?: HeaderChange; readonly echo?: object | null; readonly body?: object };
const cases: [string, string, (intent: PayableIntent) => Case][] = [
  ['invalid_signature', 'somebody else signed', () => ({ change: { from: stranger.address } })],
  ['invalid_signature', 'nobody signed', () => ({ change: { signature: `0x${'11'.repeat(65)}` } })],
  [
    'wallet_not_deployed',
    'its wallet is yet to be deployed (ERC-6492)',
    () => ({ change: { signature: `0x${'11'.repeat(320)}${'6492'.repeat(16)}` } }),
  ],
  ['invalid_payment_header', 'a signature of 66 bytes', () => ({ change: { signature: `0x${'11'.repeat(66)}` } })],
  [
    'authorization_not_yet_valid',
    'it begins in an hour',
    () => ({ change: { authorization: { validAfter: seconds(3_600), validBefore: seconds(3_700) } } }),
  ],
  [
    'authorization_expired',
    'nine seconds are left',
    () => ({ change: { authorization: { validBefore: seconds(8) } } }),
  ],
  [
    'authorization_window_too_long',
    'it lives for a day',
    () => ({ change: { authorization: { validBefore: seconds(86_400) } } }),
  ],
  ['recipient_mismatch', 'it pays somebody else', () => ({ change: { authorization: { to: stranger.address } } })],
  ['amount_mismatch', 'one unit is missing', () => ({ change: { authorization: { value: '1499999' } } })],
  ['network_mismatch', 'another chain', () => ({ change: { header: { network: 'eip155:1' } } })],
  ['scheme_mismatch', 'another scheme', () => ({ change: { header: { scheme: 'upto' } } })],
  ['asset_mismatch', 'the echo names another token', ({ acceptance }) => ({ echo: { ...acceptance, asset: VOL } })],
  [
    'acceptance_mismatch',
    'the echo was edited',
    ({ acceptance }) => ({ echo: { ...acceptance, maxAmountRequired: '1' } }),
  ],
  ['acceptance_mismatch', 'the echo is no acceptance', () => ({ echo: { hello: 'world' } })],
];

describe('a header is refused by name and changes nothing', () => {
  test.each(cases)('%s: %s', async (code, _, caseOf) => {
    const intent = await api.newIntent();
    const { change, echo = intent.acceptance } = caseOf(intent);
    const before = await rowsAbout(intent.id);
    const response = await settle(intent, change, echo);
    expect(response.statusCode).toBe(200);
    const body = response.json();
    expect(settleResponse.safeParse(body).success).toBe(true);
    expect(body).toMatchObject({
      status: 'failed',
      error: code,
      payment: null,
      transactionId: null,
      canisterTxId: 0,
      externalCostAmount: '0',
      paymentIntent: { id: intent.id, status: 'requires_payment' },
    });
    expect(await rowsAbout(intent.id)).toEqual(before);
    expect(await attemptsOf(intent.id)).toMatchObject([{ code }]);
  });

  test.each([
    ['text', 'hello'],
    ['empty', ''],
    ['no text', 7],
    ['absent', undefined],
    ['of another version', Buffer.from('{"x402Version":9}').toString('base64')],
    ['too long', 'A'.repeat(20_000)],
  ])('invalid_payment_header: a header that is %s', async (_, paymentHeader) => {
    const intent = await api.newIntent();
    const before = await rowsAbout(intent.id);
    const response = await send({ paymentIntentId: intent.id, paymentHeader });
    expect(response.json()).toMatchObject({ status: 'failed', error: 'invalid_payment_header' });
    expect(await rowsAbout(intent.id)).toEqual(before);
  });

  test('insufficient_funds: one unit short, and enough as soon as it is there', async () => {
    const intent = await api.newIntent();
    await api.chain.mint(USDC, poor.address, 1_499_999n);
    const paymentHeader = await signHeader(poor, intent.acceptance);
    const body = { paymentIntentId: intent.id, paymentHeader };
    expect((await send(body)).json()).toMatchObject({ status: 'failed', error: 'insufficient_funds' });
    await api.chain.mint(USDC, poor.address, 1n);
    expect((await send(body)).json()).toMatchObject({ status: 'processing' });
  });

  test('authorization_already_used: the token has seen it', async () => {
    const intent = await api.newIntent();
    const paymentHeader = await signHeader(payer, intent.acceptance);
    await api.chain.useAuthorization(paymentHeader);
    const response = await send({ paymentIntentId: intent.id, paymentHeader });
    expect(response.json()).toMatchObject({ status: 'failed', error: 'authorization_already_used' });
  });

  test('permit_nonce_mismatch: a permit with 32 random bytes can never execute', async () => {
    const intent = await api.newIntent({ tokenShortcode: 'anvil_vol' });
    const response = await settle(intent, { nonce: newNonce() });
    expect(response.json()).toMatchObject({ status: 'failed', error: 'permit_nonce_mismatch' });
  });

  test('sender_mismatch: the intent expects somebody else', async () => {
    const intent = await api.newIntent({ expectedSenderPrincipal: stranger.address });
    expect((await settle(intent)).json()).toMatchObject({ status: 'failed', error: 'sender_mismatch' });
  });

  test.each([
    ['canceled', "status = 'canceled'"],
    ['expired', "expires_at = now() - interval '1 second'"],
  ])('intent_not_payable: it is %s', async (_, change) => {
    const intent = await api.newIntent();
    await pool.query(`update svc.intents set ${change} where id = $1`, [intent.id]);
    expect((await settle(intent)).json()).toMatchObject({ status: 'failed', error: 'intent_not_payable' });
  });

  test('x402_minimum_amount_not_met: less than the minimum that is stored with the acceptance', async () => {
    const intent = await api.newIntent();
    await pool.query('update svc.acceptances set minimum_usd_micros = 1500001 where intent_id = $1', [intent.id]);
    const response = await settle(intent);
    expect(response.json()).toMatchObject({ status: 'failed', error: 'x402_minimum_amount_not_met' });
  });

  test('x402_upto_settlement_requires_secret_key: an up-to intent, whatever the header', async () => {
    const intent = await api.newIntent({ x402Upto: true });
    const before = await rowsAbout(intent.id);
    for (const response of [await settle(intent), await send({ paymentIntentId: intent.id, paymentHeader: 'x' })]) {
      expect(response.statusCode).toBe(200);
      expect(response.json()).toMatchObject({ status: 'failed', error: 'x402_upto_settlement_requires_secret_key' });
    }
    expect(await rowsAbout(intent.id)).toEqual(before);
  });
});

describe('chain_unavailable', () => {
  test('a chain that can’t be asked refuses nobody: 503, nothing stored, and the log does not name the node', async () => {
    const intent = await api.newIntent({ tokenShortcode: 'basesepolia_usdc' });
    const before = await rowsAbout(intent.id);
    const response = await settle(intent, { signature: `0x${'11'.repeat(65)}` });
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({ error: 'chain_unavailable', retryable: true, moneyMoved: 'no' });
    expect(await rowsAbout(intent.id)).toEqual(before);
    expect(await attemptsOf(intent.id)).toEqual([]);
    expect(api.logs.join('')).toContain('"event":"chain_read_failed"');
    expect(api.logs.join('')).not.toContain('127.0.0.1:9/');
  });
});

describe('accepted', () => {
  test('a contract wallet, by its own word', async () => {
    const wallet = newPayer().address;
    await api.chain.client.setCode({ address: wallet, bytecode: '0x631626ba7e60e01b60005260206000f3' });
    await api.chain.mint(USDC, wallet, 1_500_000n);
    const intent = await api.newIntent();
    const response = await settle(intent, { from: wallet, signature: `0x${'ab'.repeat(300)}` });
    expect(response.json()).toMatchObject({ status: 'processing' });
    const { rows } = await pool.query(
      "select by_contract, kind, '0x' || encode(code_hash, 'hex') as code from svc.authorizations where intent_id = $1",
      [intent.id],
    );
    const code = keccak256('0x631626ba7e60e01b60005260206000f3');
    expect(rows).toEqual([{ by_contract: true, kind: 'transfer_with_authorization', code }]);
  });

  test('a permit with the nonce that the intent names for its expected payer', async () => {
    const intent = await api.newIntent({ tokenShortcode: 'anvil_vol', expectedSenderPrincipal: payer.address });
    expect(intent.acceptance.extra).toMatchObject({ primaryType: 'Permit', permitNonce: '0' });
    const nonce: Hex = padHex(`0x${BigInt(intent.acceptance.extra?.permitNonce ?? '').toString(16)}`);
    expect((await settle(intent, { nonce })).json()).toMatchObject({ status: 'processing' });
    const { rows } = await pool.query('select kind from svc.authorizations where intent_id = $1', [intent.id]);
    expect(rows).toEqual([{ kind: 'permit' }]);
  });

  test('two permits of one nonce are two authorizations: their digests are claimed, not their nonce', async () => {
    const nonce = padHex('0x0');
    const [one, other] = [
      await api.newIntent({ tokenShortcode: 'anvil_vol', usdAmount: 3 }),
      await api.newIntent({ tokenShortcode: 'anvil_vol', usdAmount: 4 }),
    ];
    expect((await settle(one, { nonce })).json()).toMatchObject({ status: 'processing' });
    expect((await settle(other, { nonce })).json()).toMatchObject({ status: 'processing' });
  });
});

describe('a spent gas budget', () => {
  const NETWORK = 'eip155:31337';
  const spend = (scope: string, name: string) =>
    pool.query(
      `insert into svc.gas_budget_uses (network, scope, key, slot, lost, reversed)
       values ($1, $2, $3, date_bin('5 minutes', now(), timestamptz '2000-01-01 00:00:00Z'), 100, 0)`,
      [NETWORK, scope, name],
    );
  beforeAll(async () => {
    await pool.query(
      `insert into svc.gas_budgets
       values ($1, 100, 100, 100, 100, 100, 100, 100, 100, 0, now())`,
      [NETWORK],
    );
  });
  afterAll(async () => {
    await pool.query('delete from svc.gas_budgets');
    await pool.query('delete from svc.gas_budget_uses');
  });
  const fund = async (holder: Hex) => {
    await api.chain.mint(USDC, holder, 1_500_000n);
    return holder;
  };
  const newWallet = async () => {
    const wallet = newPayer().address;
    await api.chain.client.setCode({ address: wallet, bytecode: '0x631626ba7e60e01b60005260206000f3' });
    return fund(wallet);
  };
  const byWallet = async (wallet: Hex) =>
    (await settle(await api.newIntent(), { from: wallet, signature: `0x${'ab'.repeat(300)}` })).json();
  const REFUSED = { status: 'failed', error: 'gas_budget_spent' };

  test('of a payer refuses that payer, by key too, and nobody else', async () => {
    const burner = newPayer();
    await fund(burner.address);
    await spend('payer', burner.address.toLowerCase());
    const intent = await api.newIntent();
    const paymentHeader = await signHeader(burner, intent.acceptance);
    expect((await send({ paymentIntentId: intent.id, paymentHeader })).json()).toMatchObject(REFUSED);
    expect(await attemptsOf(intent.id)).toMatchObject([{ code: 'gas_budget_spent' }]);
    expect((await settle(await api.newIntent())).json()).toMatchObject({ status: 'processing' });
    expect(await byWallet(await newWallet())).toMatchObject({ status: 'processing' });
  });

  test('of an account refuses contract wallets that never paid; payers by key and wallets that paid go on', async () => {
    await spend('account', api.account.accountId);
    const [fresh, proven] = [await newWallet(), await newWallet()];
    await pool.query('insert into svc.proven_wallets values ($1, $2, now())', [NETWORK, proven.toLowerCase()]);
    expect(await byWallet(fresh)).toMatchObject(REFUSED);
    expect(await byWallet(proven)).toMatchObject({ status: 'processing' });
    expect((await settle(await api.newIntent())).json()).toMatchObject({ status: 'processing' });
  });
});

test('without a known payer, or a chain, a permit names no nonce', async () => {
  const anybody = await api.newIntent({ tokenShortcode: 'anvil_vol' });
  expect(anybody.acceptance.extra).not.toHaveProperty('permitNonce');
  const odd = await api.newIntent({ tokenShortcode: 'anvil_vol', expectedSenderPrincipal: 'aaaaa-aa' });
  expect(odd.acceptance.extra).not.toHaveProperty('permitNonce');
});

test('a stranger with the publishable key can’t change an intent, nor fill the log of refusals', async () => {
  const intent = await api.newIntent();
  const before = await rowsAbout(intent.id);
  for (let round = 0; round < 15; round += 1) {
    const someone = newPayer();
    await Promise.all([
      settle(intent, { from: someone.address }),
      settle(intent, { from: someone.address }),
      settle(intent, { authorization: { value: '1' } }),
      settle(intent, { authorization: { to: someone.address } }),
      settle(intent, { from: someone.address, authorization: { validBefore: seconds(1) } }),
    ]);
  }
  expect(await rowsAbout(intent.id)).toEqual(before);
  const attempts = await attemptsOf(intent.id);
  // Concurrent requests may each find the last attempt still free.
  expect(attempts.length).toBeGreaterThanOrEqual(20);
  expect(attempts.length).toBeLessThanOrEqual(24);
  expect((await settle(intent)).json()).toMatchObject({ status: 'processing' });
});

test('a denied payer can’t pay within a second; what was claimed before goes on', async () => {
  const wallet = newPayer();
  await api.chain.mint(USDC, wallet.address, 10n ** 12n);
  const pay = async ({ id, acceptance }: PayableIntent) => {
    const paymentHeader = await signHeader(wallet, acceptance);
    return { paymentIntentId: id, paymentHeader, paymentRequirements: acceptance };
  };
  const claimed = await pay(await api.newIntent());
  expect((await send(claimed)).json()).toMatchObject({ status: 'processing' });
  const refused = await api.newIntent();
  const body = await pay(refused);
  const before = await rowsAbout(refused.id);
  await addDenied(
    { pool, nowMs: Date.now(), actor: 'operator:ada' },
    { kind: 'payer', value: wallet.address.toLowerCase(), reference: 'x', reason: 'a test', expiresAtMs: null },
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect((await send(body)).json()).toMatchObject({ status: 'failed', error: 'payer_denied' });
  expect(await rowsAbout(refused.id)).toEqual(before);
  expect(await attemptsOf(refused.id)).toMatchObject([{ code: 'payer_denied', payer: wallet.address.toLowerCase() }]);
  expect((await send(claimed)).json()).toMatchObject({ status: 'processing' });
});

describe('not there', () => {
  test.each([
    ['unknown', 'pi_00000000000000000000000000'],
    ['no id', 'hello'],
  ])('an intent that is %s: 404', async (_, paymentIntentId) => {
    const response = await send({ paymentIntentId, paymentHeader: 'x' });
    expect({ status: response.statusCode, ...response.json() }).toMatchObject({ status: 404, error: 'not_found' });
  });
  test('an intent that is not named: 400', async () => {
    for (const body of [{}, { paymentIntentId: 7, paymentHeader: 'x' }, []]) {
      const response = await send(body);
      expect({ status: response.statusCode, ...response.json() }).toMatchObject({
        status: 400,
        error: 'malformed_request',
        param: 'paymentIntentId',
      });
    }
  });
  test('the owner still reads what strangers could not settle', async () => {
    const intent = await api.newIntent();
    const live = await call(api, 'POST', SETTLE, {
      key: api.account.keys.live.publishable,
      body: { paymentIntentId: intent.id, paymentHeader: await signHeader(payer, intent.acceptance) },
    });
    expect(live.statusCode).toBe(404);
    const read = await call(api, 'GET', intentPath(intent.id), { key });
    expect(read.json().paymentIntent.status).toBe('requires_payment');
  });
});
