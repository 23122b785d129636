// Intents that are paid by the payer's own transactions: what is answered, what is stored, and what no header can settle.
import { insertRow } from '@svc-pay/postgres/testing';
import { type RegularOption, regularOffer } from '@svc-pay/protocol';
import { afterEach, describe, expect, test } from 'vitest';
import { activateWallet, DIRECT_SETTINGS } from '../testing/activate-wallet.ts';
import { CREATE, call, intentPath, SETTLE } from '../testing/call.ts';
import { USDC } from '../testing/payment-chain.ts';
import { playPart } from '../testing/play-part.ts';
import { PROCESSOR } from '../testing/seed-account.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { startFakeEngine } from '../testing/start-fake-engine.ts';
import { startPayableApi } from '../testing/start-payable-api.ts';

const REGULAR = '/sdk/public/payments/intents';
let aheadMs = 0;
const api = await startPayableApi({}, { nowMs: () => Date.now() + aheadMs });
const { pool } = api.database;
const { publishable, secret } = api.account.keys.test;
await insertRow(pool, 'account_tokens', {
  account_id: api.account.accountId,
  mode: 'test',
  shortcode: 'anvil_plain',
});

afterEach(async () => {
  aheadMs = 0;
  await pool.query('update svc.account_modes set minimum_usd_micros = null');
  await pool.query('delete from svc.network_health');
});

const post = (path: string, body: object, key: string = publishable, headers = {}) =>
  call(api, 'POST', path, { key, body, headers });
const regularOf = async (intentId: string, from = api, key: string = publishable) =>
  (await call(from, 'GET', `${intentPath(intentId)}/regular`, { key })).json();
const flowsOf = async (intentId: string) =>
  (await pool.query('select position, flow from svc.acceptances where intent_id = $1 order by 1', [intentId])).rows;
const withdraw = (reason: string) =>
  pool.query(
    `insert into svc.network_health (network, offered, reason, since, checked_at)
     values ('eip155:31337', false, $1, now(), now())`,
    [reason],
  );
const plain = { usdAmount: '2', tokenShortcode: 'anvil_plain' };
const usdc = { usdAmount: '2', tokenShortcode: 'anvil_usdc' };

describe('POST /sdk/public/payments/intents', () => {
  test('answers the intent and its options, and stores them as regular acceptances', async () => {
    const response = await post(REGULAR, usdc);
    expect(response.statusCode).toBe(201);
    const answer = regularOffer.parse(response.json());
    expect(answer.paymentIntent).toMatchObject({ status: 'requires_payment', amount: '2000000' });
    expect(answer.regular).toMatchObject([
      { kind: 'evm_processor', network: 'eip155:31337', chainId: 31_337, amount: '2000000', payTo: PROCESSOR },
    ]);
    expect(answer.regular[0]?.expiresAt).toBe(answer.paymentIntent.expiresAt);
    expect(await flowsOf(answer.paymentIntentId)).toEqual([{ position: 0, flow: 'regular' }]);
    expect(answer).not.toHaveProperty('clientSecret');
    const events = await pool.query('select type from svc.events where intent_id = $1', [answer.paymentIntentId]);
    expect(events.rows).toEqual([{ type: 'payment_intent.created' }]);
  });

  test('offers every token that can be paid so, with one that nobody can sign for among them', async () => {
    const { regular } = (await post(REGULAR, { usdAmount: '2' })).json() as { regular: RegularOption[] };
    expect(regular.map(({ tokenShortcode }) => tokenShortcode)).toEqual(
      expect.arrayContaining(['basesepolia_usdc', 'anvil_usdc', 'anvil_vol', 'anvil_plain']),
    );
  });

  test('gives the client secret to a secret key, with which a page reads the options', async () => {
    const { clientSecret, paymentIntentId } = (await post(REGULAR, usdc, secret)).json();
    expect((await regularOf(paymentIntentId, api, clientSecret)).regular).toHaveLength(1);
  });

  test('repeats its answer for the same idempotency key, without options once the intent can’t be paid', async () => {
    const headers = { 'idempotency-key': 'regular-once' };
    const first = (await post(REGULAR, usdc, secret, headers)).json();
    const again = await post(REGULAR, usdc, secret, headers);
    expect([again.statusCode, again.json()]).toEqual([201, first]);
    await call(api, 'POST', `/sdk/payments/intents/${first.paymentIntentId}/cancel`, { key: secret, body: {} });
    const late = (await post(REGULAR, usdc, secret, headers)).json();
    expect(late).toMatchObject({
      paymentIntentId: first.paymentIntentId,
      paymentIntent: { status: 'canceled' },
      regular: [],
    });
  });

  test('refuses where the payer can’t pay by himself, and stores nothing', async () => {
    const { liveKey, before } = { liveKey: api.account.keys.live.publishable, before: await countIntents() };
    const response = await post(REGULAR, { usdAmount: '2', tokenShortcode: 'ic_ckusdc' }, liveKey);
    expect([response.statusCode, response.json().error]).toEqual([422, 'regular_flow_unavailable']);
    expect(await countIntents()).toBe(before);
  });

  test('refuses an up-to intent: the payer would pay the whole cap', async () => {
    const response = await post(REGULAR, { ...usdc, x402Upto: true });
    expect([response.statusCode, response.json().error]).toEqual([422, 'x402_upto_not_available']);
  });

  test('takes amounts below the minimum of X402', async () => {
    await pool.query('update svc.account_modes set minimum_usd_micros = 5000000');
    const { regular } = (await post(REGULAR, usdc)).json();
    expect(regular).toMatchObject([{ kind: 'evm_processor', amount: '2000000' }]);
  });
});

const countIntents = async () => (await pool.query('select count(*) from svc.intents')).rows[0].count;

describe('a fallback of the X402 create continues the same intent', () => {
  const fallback = async (body: object) => {
    const response = await post(CREATE, body);
    const answer = response.json();
    expect([response.statusCode, answer.fallbackSuggested, answer.accepts]).toEqual([200, true, []]);
    expect(await flowsOf(answer.paymentIntentId)).toEqual([{ position: 0, flow: 'regular' }]);
    expect((await regularOf(answer.paymentIntentId)).regular).toEqual(answer.regular);
    return answer;
  };

  test('for a token that nobody can sign for', async () => {
    const { error, regular } = await fallback(plain);
    expect(error).toBe('x402_not_available_for_token');
    expect(regular).toMatchObject([{ kind: 'evm_processor', tokenShortcode: 'anvil_plain', amount: '2000000' }]);
  });

  test('below the minimum of X402', async () => {
    await pool.query('update svc.account_modes set minimum_usd_micros = 5000000');
    const { error, regular } = await fallback(usdc);
    expect([error, regular.length]).toEqual(['x402_minimum_amount_not_met', 1]);
  });

  test.each(['out_of_gas', 'not_allowed', 'over_cap', 'stuck'])('while no relayer can send: %s', async (reason) => {
    await withdraw(reason);
    const { error, regular } = await fallback(usdc);
    expect([error, regular.length]).toEqual(['x402_temporarily_unavailable', 1]);
  });

  test.each(['paused', 'chain_unreachable', 'processor_differs'])(
    'and has no option where the payer’s own transaction would not arrive either: %s',
    async (reason) => {
      await withdraw(reason);
      const answer = (await post(CREATE, usdc)).json();
      expect(answer).toMatchObject({ error: 'x402_temporarily_unavailable', regular: [] });
      expect(await flowsOf(answer.paymentIntentId)).toEqual([]);
      expect((await post(REGULAR, usdc)).json()).toMatchObject({ error: 'regular_flow_unavailable' });
    },
  );

  test('and never for an up-to intent', async () => {
    const response = await post(CREATE, { ...plain, x402Upto: true });
    expect([response.statusCode, response.json().error]).toEqual([422, 'x402_upto_not_available']);
  });
});

describe('GET /sdk/public/payments/intents/{id}/regular', () => {
  test('shows how an X402 intent can be paid without a signature, by the acceptance that is stored already', async () => {
    const { paymentIntentId } = (await post(CREATE, usdc)).json();
    expect(await flowsOf(paymentIntentId)).toEqual([{ position: 0, flow: 'x402' }]);
    expect((await regularOf(paymentIntentId)).regular).toMatchObject([{ kind: 'evm_processor', amount: '2000000' }]);
  });

  test('asks for the rest where a part arrived, in calls and links too, and for nothing where the whole did', async () => {
    const { paymentIntentId } = (await post(CREATE, usdc)).json();
    const part = await playPart(api.database, paymentIntentId, 500_000n);
    const [option] = (await regularOf(paymentIntentId)).regular;
    expect(option).toMatchObject({ amount: '1500000', requestedAmount: '2000000', paidAmount: '500000' });
    expect(option.approve.amount).toBe('1500000');
    for (const link of [option.link, option.approve.link]) expect(link).toMatch(/uint256=1500000$/);
    for (const { data } of [option.approve, option.pay]) expect(BigInt(`0x${data.slice(-64)}`)).toBe(1_500_000n);
    // What is being given back is to be paid again.
    await pool.query(
      `insert into svc.refund_totals (account_id, mode, payment_id, paid, refunded, reserved)
       select account_id, mode, id, paid_amount, 100000, 50000 from svc.payments where id = $1`,
      [part],
    );
    expect((await regularOf(paymentIntentId)).regular).toMatchObject([{ amount: '1650000', paidAmount: '350000' }]);
    await playPart(api.database, paymentIntentId, 1_650_000n);
    expect((await regularOf(paymentIntentId)).regular).toEqual([]);
  });

  test('shows nothing once the intent has expired, or its processor is paused', async () => {
    const { paymentIntentId } = (await post(CREATE, usdc)).json();
    await withdraw('paused');
    expect((await regularOf(paymentIntentId)).regular).toEqual([]);
    await pool.query('delete from svc.network_health');
    expect((await regularOf(paymentIntentId)).regular).toHaveLength(1);
    aheadMs = 86_400_000;
    expect((await regularOf(paymentIntentId)).regular).toEqual([]);
  });

  test('shows nothing while a header of the intent is under way', async () => {
    const { id, acceptance } = await api.newIntent();
    const payer = newPayer();
    await api.chain.mint(USDC, payer.address, 10n ** 9n);
    const paymentHeader = await signHeader(payer, acceptance);
    const settled = (await post(SETTLE, { paymentIntentId: id, paymentHeader })).json();
    expect(settled.status).toBe('processing');
    expect(await regularOf(id)).toMatchObject({ paymentIntent: { status: 'processing' }, regular: [] });
  });

  test('names no payout that the registry has otherwise, and no processor but the operator’s', async () => {
    const { paymentIntentId } = (await post(REGULAR, usdc)).json();
    await pool.query('update svc.acceptances set pay_to = $2 where intent_id = $1', [
      paymentIntentId,
      `0x${'ee'.repeat(20)}`,
    ]);
    expect((await regularOf(paymentIntentId)).regular).toEqual([]);
  });

  test('is not found for a stranger’s key, and for the secret of another intent', async () => {
    const { paymentIntentId } = (await post(REGULAR, usdc, secret)).json();
    const other = (await post(REGULAR, usdc, secret)).json();
    const path = `${intentPath(paymentIntentId)}/regular`;
    const live = await call(api, 'GET', path, { key: api.account.keys.live.publishable });
    expect(live.statusCode).toBe(404);
    expect((await call(api, 'GET', path, { key: other.clientSecret })).statusCode).toBeGreaterThanOrEqual(400);
  });
});

describe('a header never settles a regular acceptance', () => {
  test('though it is signed to the letter, with or without the echo of the acceptance', async () => {
    const { paymentIntentId } = (await post(REGULAR, usdc)).json();
    const { acceptance } = await api.newIntent({ usdAmount: '2' });
    const payer = newPayer();
    await api.chain.mint(USDC, payer.address, 10n ** 9n);
    const paymentHeader = await signHeader(payer, acceptance);
    for (const echo of [{}, { paymentRequirements: acceptance }]) {
      const answer = (await post(SETTLE, { paymentIntentId, paymentHeader, ...echo })).json();
      expect(answer).toMatchObject({ status: 'failed', error: 'acceptance_mismatch' });
    }
    const { rows } = await pool.query('select from svc.authorizations where intent_id = $1', [paymentIntentId]);
    expect(rows).toEqual([]);
    expect((await regularOf(paymentIntentId)).regular).toHaveLength(1);
  });

  test('and it is not offered to be signed: not by the intent’s offer, nor by its payable address', async () => {
    const { paymentIntentId, clientSecret } = (await post(REGULAR, usdc, secret)).json();
    const offer = await call(api, 'GET', `${intentPath(paymentIntentId)}/x402`, { key: publishable });
    expect([offer.statusCode, offer.json().accepts]).toEqual([402, []]);
    const payable = await call(api, 'GET', `/pay/${paymentIntentId}?client_secret=${clientSecret}`);
    expect([payable.statusCode, payable.json().accepts]).toEqual([402, []]);
    expect(payable.headers['payment-required']).toBeUndefined();
  });
});

test('a header that settle refuses for the minimum leaves the intent payable by the regular flow', async () => {
  const { id, acceptance } = await api.newIntent();
  const payer = newPayer();
  await api.chain.mint(USDC, payer.address, 10n ** 9n);
  await pool.query('update svc.acceptances set minimum_usd_micros = 9000000 where intent_id = $1', [id]);
  const answer = (
    await post(SETTLE, { paymentIntentId: id, paymentHeader: await signHeader(payer, acceptance) })
  ).json();
  expect(answer).toMatchObject({ status: 'failed', error: 'x402_minimum_amount_not_met' });
  expect(await regularOf(id)).toMatchObject({
    paymentIntent: { status: 'requires_payment' },
    regular: [{ kind: 'evm_processor', amount: '1500000' }],
  });
});

describe('notify with the hash of a transaction', () => {
  test('wakes the chain reader of the intent’s network once in a while, and changes nothing', async () => {
    const engine = await startFakeEngine();
    const own = await startPayableApi({ SVC_ENGINE_INGRESS_URL: engine.url });
    const key = own.account.keys.test.publishable;
    const { paymentIntentId } = (await call(own, 'POST', REGULAR, { key, body: usdc })).json();
    const notify = (transactionId: unknown) =>
      call(own, 'POST', '/sdk/public/payments/notify', { key, body: { paymentIntentId, transactionId } });
    for (const hint of [undefined, null, '', 7, '0x12', {}, `0x${'zz'.repeat(32)}`])
      expect((await notify(hint)).json()).toMatchObject({ status: 'requires_payment', payment: null });
    expect(engine.heard).toEqual([]);
    for (let repeat = 0; repeat < 5; repeat += 1) {
      const answer = await notify(`0x${'ab'.repeat(32)}`);
      expect(answer.json()).toMatchObject({ status: 'requires_payment', payment: null });
    }
    await expect.poll(() => engine.heard).toEqual(['POST /reader.eip155.31337/one/soon/send']);
    const cancel = `/sdk/payments/intents/${paymentIntentId}/cancel`;
    await call(own, 'POST', cancel, { key: own.account.keys.test.secret, body: {} });
    expect((await notify(`0x${'ab'.repeat(32)}`)).json()).toMatchObject({ status: 'canceled' });
  });
});

describe('a direct payout', () => {
  test('is paid by an authorization that the payer sends himself, while both signatures of its activation hold', async () => {
    const own = await startPayableApi(DIRECT_SETTINGS);
    const { activation } = await activateWallet(own);
    const create = await call(own, 'POST', REGULAR, { key: own.account.keys.test.publishable, body: usdc });
    const { paymentIntentId, regular } = create.json();
    expect(regular).toMatchObject([
      {
        kind: 'evm_authorization',
        payTo: activation.wallet,
        typedData: { message: { to: activation.wallet, value: '2000000' } },
      },
    ]);
    const key = own.account.keys.test.publishable;
    expect((await regularOf(paymentIntentId, own, key)).regular).toEqual(regular);
    // Whoever can only write to the database names another wallet.
    await own.database.pool.query('update svc.acceptances set pay_to = $1', [`0x${'ee'.repeat(20)}`]);
    expect((await regularOf(paymentIntentId, own, key)).regular).toEqual([]);
  });
});
