// Payments on the Internet Computer: intents, what they ask for, and notify. What settlement makes of a block is tested there.
import { addDenied, removeDenied } from '@svc-pay/postgres/operator';
import { insertRow } from '@svc-pay/postgres/testing';
import { type AcceptedToken, notifyResponse, regularOffer } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { createdRefund } from '@svc-pay/protocol/merchant';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CREATE, call } from '../testing/call.ts';
import { refundCalls, refusalOf } from '../testing/refund-calls.ts';
import { NETWORKS } from '../testing/seed-account.ts';
import { startFakeSettlement } from '../testing/start-fake-settlement.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const REGULAR = '/sdk/public/payments/intents';
const NOTIFY = '/sdk/public/payments/notify';
const LEDGER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
const MERCHANT = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae-6cc627i.1';
const PAYER = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae';
const rootKey = `308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100${'ab'.repeat(96)}`;
const icp = { ready: true, rpcUrls: ['http://127.0.0.1:9'], rootKey };

const settlement = await startFakeSettlement();
const api = await startTestApi({
  SVC_NETWORKS: JSON.stringify({ ...NETWORKS, 'icp:local': icp }),
  SVC_SETTLEMENT_URL: settlement.url,
});
const { pool } = api.database;
const { accountId, keys } = api.account;
const owner = { account_id: accountId, mode: 'test' };
await insertRow(pool, 'account_tokens', { ...owner, shortcode: 'iclocal_ckusdc' });
const payout = { ...owner, network: 'icp:local', processor: MERCHANT, merchant: MERCHANT, fee_bps: 0 };
await insertRow(pool, 'payouts', { ...payout, payout_id: 1 });

await pool.query('insert into svc.icrc_cursors (network, ledger, next_index, read_at) values ($1, $2, 0, now())', [
  'icp:local',
  LEDGER,
]);

afterEach(() => settlement.heard.splice(0));

const post = (path: string, body: object, key: string = keys.test.publishable) =>
  call(api, 'POST', path, { key, body });
const wanted = { usdAmount: '2', tokenShortcode: 'iclocal_ckusdc' };
const create = async (change: object = {}) =>
  regularOffer.parse((await post(REGULAR, { ...wanted, ...change })).json());
const notify = async (paymentIntentId: string, hints: object = {}) =>
  notifyResponse.parse((await post(NOTIFY, { paymentIntentId, ...hints })).json());
const outcome = (name: string, refusal: string | null = null) => {
  settlement.answer = async () => ({ outcome: name, refusal });
};

describe('an intent', () => {
  test('asks for one transfer to the account of the merchant, which names the intent', async () => {
    const { paymentIntent, regular } = await create();
    expect(paymentIntent).toMatchObject({ amount: '2000000', ledgerCanisterId: LEDGER, tokens: ['iclocal_ckusdc'] });
    expect(regular).toMatchObject([
      {
        kind: 'icrc1_transfer',
        network: 'icp:local',
        amount: '2000000',
        ledgerCanisterId: LEDGER,
        to: { owner: PAYER, text: MERCHANT },
        memo: `0x${Buffer.from(`svc:${paymentIntent.intentCode}`).toString('hex')}`,
        createdAtTime: `${Date.parse(paymentIntent.createdAt)}000000`,
        fee: '10000',
      },
    ]);
    const stored = await pool.query('select flow, pay_to, payout_id from svc.acceptances where intent_id = $1', [
      paymentIntent.id,
    ]);
    expect(stored.rows).toEqual([{ flow: 'regular', pay_to: MERCHANT, payout_id: '1' }]);
  });

  test('of X402 is offered by the regular flow, and never as an up-to', async () => {
    const fallback = (await post(CREATE, wanted)).json();
    expect(fallback).toMatchObject({ fallbackSuggested: true, error: 'x402_not_available_for_token', accepts: [] });
    expect(fallback.regular).toMatchObject([{ kind: 'icrc1_transfer' }]);
    expect((await post(CREATE, { ...wanted, x402Upto: true })).json()).toMatchObject({
      error: 'x402_upto_not_available',
    });
  });

  test.each([{ symbol: 'ckUSDC' }, { symbol: 'ckusdc', chainId: 'icp:local' }, { ledgerCanisterId: LEDGER }])(
    'is made by the deprecated selector %j too, which says that it is deprecated',
    async (selector) => {
      for (const path of [REGULAR, CREATE]) {
        const response = await post(path, { usdAmount: '2', ...selector });
        expect(response.headers['deprecation']).toMatch(/^@\d+$/);
        expect(response.json().regular).toMatchObject([{ kind: 'icrc1_transfer', ledgerCanisterId: LEDGER }]);
      }
    },
  );

  test('is not paid by any call of X402: each says so, and the intent stays as it is', async () => {
    const { paymentIntentId } = await create();
    const authorization = { from: PAYER, to: MERCHANT, value: '2000000', validAfter: '0', validBefore: '9999999999' };
    const payload = {
      authorization: { ...authorization, nonce: `0x${'00'.repeat(32)}` },
      signature: `0x${'00'.repeat(65)}`,
    };
    const header = { x402Version: 1, scheme: 'exact', network: 'icp:local', payload };
    const signed = {
      paymentIntentId,
      paymentHeader: Buffer.from(JSON.stringify(header)).toString('base64'),
      paymentRequirements: { scheme: 'exact', network: 'icp:local', maxAmountRequired: '2000000', payTo: MERCHANT },
    };
    const refusals = [
      ['/sdk/public/payments/x402/settle', signed, { status: 'failed', error: 'invalid_payment_header' }],
      [
        '/sdk/public/payments/x402/prepare',
        { paymentIntentId, publicKey: PAYER },
        { error: 'x402_not_available_for_token' },
      ],
      [
        '/sdk/public/payments/x402/signable',
        { paymentIntentId, publicKey: PAYER },
        { error: 'x402_not_available_for_token' },
      ],
      ['/sdk/public/payments/x402/relay', { paymentIntentId, signedTransactionBase64: 'AA==' }, { status: 'failed' }],
      ['/sdk/public/payments/intents/x402/upto/confirm', signed, { error: 'not_an_upto_intent' }],
    ] as const;
    for (const [path, body, refusal] of refusals) expect((await post(path, body)).json()).toMatchObject(refusal);
    const settled = await call(api, 'POST', '/sdk/payments/x402/upto/settle', {
      key: keys.test.secret,
      headers: { 'x-account-id': accountId },
      body: { paymentIntentId, settledAmount: '1' },
    });
    expect(settled.json()).toMatchObject({ error: 'not_an_upto_intent' });
    expect(await notify(paymentIntentId)).toMatchObject({ status: 'requires_payment', paymentId: null });
    expect(settlement.heard).toEqual([]);
  });

  test('whose one payer is denied asks for nothing, and what he pays all the same is told to settlement', async () => {
    const operation = { pool, nowMs: Date.now(), actor: 'operator:test' };
    const entry = { kind: 'payer', value: PAYER, reference: 'x' } as const;
    const { paymentIntentId } = await create({ expectedSenderPrincipal: PAYER });
    await addDenied(operation, { ...entry, reason: 'a test', expiresAtMs: null });
    await vi.waitFor(async () => expect((await create({ expectedSenderPrincipal: PAYER })).regular).toEqual([]), 5_000);
    expect(
      (await call(api, 'GET', `${REGULAR}/${paymentIntentId}/regular`, { key: keys.test.publishable })).json(),
    ).toMatchObject({ regular: [] });
    expect((await create()).regular).toHaveLength(1);
    outcome('applied');
    await notify(paymentIntentId, { ledgerBlockIndex: 3 });
    expect(settlement.heard).toHaveLength(1);
    await removeDenied(operation, entry);
    await vi.waitFor(
      async () => expect((await create({ expectedSenderPrincipal: PAYER })).regular).toHaveLength(1),
      5_000,
    );
  });

  test('takes a principal as the sender that is expected, and no other text', async () => {
    expect((await create({ expectedSenderPrincipal: PAYER })).regular).toHaveLength(1);
    for (const expectedSenderPrincipal of [PAYER.toUpperCase(), MERCHANT, `0x${'66'.repeat(20)}`])
      expect((await post(REGULAR, { ...wanted, expectedSenderPrincipal })).json()).toMatchObject({
        error: 'malformed_request',
        param: 'expectedSenderPrincipal',
        message: expect.stringContaining('iclocal_ckusdc'),
      });
  });

  test('is possible where the list of tokens says so', async () => {
    const { data } = (await call(api, 'GET', '/sdk/public/tokens', { key: keys.test.publishable })).json();
    expect(data.find((token: AcceptedToken) => token.tokenShortcode === 'iclocal_ckusdc')).toMatchObject({
      network: 'ic',
      available: false,
      upto: false,
      regular: true,
    });
  });

  test.each(['read_at = null', `read_at = now() - interval '11 minutes'`, 'stopped_at = now()'])(
    'is not offered while nobody reads its ledger: %s',
    async (state) => {
      const { paymentIntentId } = await create();
      await pool.query(`update svc.icrc_cursors set ${state}`);
      const shown = await call(api, 'GET', `${REGULAR}/${paymentIntentId}/regular`, { key: keys.test.publishable });
      expect(regularOffer.parse(shown.json()).regular).toEqual([]);
      expect((await post(REGULAR, wanted)).json()).toMatchObject({ error: 'regular_flow_unavailable' });
      const { data } = (await call(api, 'GET', '/sdk/public/tokens', { key: keys.test.publishable })).json();
      expect(data.find((token: AcceptedToken) => token.tokenShortcode === 'iclocal_ckusdc').regular).toBe(false);
      await pool.query('update svc.icrc_cursors set read_at = now(), stopped_at = null');
    },
  );

  test('pays the newest account of the merchant', async () => {
    const newer = { ...payout, processor: PAYER, merchant: PAYER, created_at: new Date(Date.now() + 1_000) };
    await insertRow(pool, 'payouts', { ...newer, payout_id: 1 });
    expect((await create()).regular).toMatchObject([{ to: { owner: PAYER, subaccount: null, text: PAYER } }]);
    await pool.query('delete from svc.payouts where merchant = $1', [PAYER]);
  });
});

describe('notify', () => {
  test.each([
    ['ledgerBlockIndex', { ledgerBlockIndex: 7 }],
    ['canisterTxId', { canisterTxId: '7', ledgerCanisterId: LEDGER }],
    ['transactionId', { transactionId: `${LEDGER}:7` }],
  ])('has the block read that %s names', async (_, hints) => {
    outcome('recorded');
    const { paymentIntentId } = await create();
    expect(await notify(paymentIntentId, hints)).toMatchObject({ status: 'requires_payment', refusal: null });
    expect(settlement.heard).toMatchObject([
      { body: { accountId, mode: 'test', paymentIntentId, ledger: LEDGER, blockIndex: '7' } },
    ]);
  });

  test('answers how the intent stands after the block counted, by the numbers of the ledger', async () => {
    const { paymentIntentId } = await create();
    settlement.answer = async () => {
      await playPayment(paymentIntentId, `${LEDGER}:41`);
      return { outcome: 'applied', refusal: null };
    };
    const answer = await notify(paymentIntentId, { ledgerBlockIndex: '41' });
    expect(answer).toMatchObject({ status: 'completed', refusal: null });
    expect(answer.payment).toMatchObject({
      transactionId: `${LEDGER}:41`,
      canisterTxId: '41',
      ledgerTxId: '41',
      ledgerCanisterId: LEDGER,
      network: 'ic',
      payer: PAYER,
    });
    // Who asks again about a block that is known to have paid reaches nobody.
    settlement.heard.splice(0);
    expect(await notify(paymentIntentId, { ledgerBlockIndex: '41' })).toMatchObject({ status: 'completed' });
    expect(settlement.heard).toEqual([]);
  });

  test.each(['block_not_found', 'not_a_transfer', 'other_account', 'other_memo', 'counted_elsewhere'])(
    'tells why a block does not pay: %s',
    async (refusal) => {
      outcome('refused', refusal);
      const { paymentIntentId } = await create();
      expect(await notify(paymentIntentId, { ledgerBlockIndex: 1 })).toMatchObject({
        status: 'requires_payment',
        paymentId: null,
        refusal,
      });
    },
  );

  test('asks about no ledger that the intent does not name', async () => {
    const { paymentIntentId } = await create();
    const other = { ledgerBlockIndex: 1, ledgerCanisterId: 'xevnm-gaaaa-aaaar-qafnq-cai' };
    expect(await notify(paymentIntentId, other)).toMatchObject({ refusal: 'other_ledger' });
    expect(settlement.heard).toEqual([]);
  });

  test.each(['recorded', 'unknown'])(
    'shows a block that the reader counted while settlement was asked: %s',
    async (name) => {
      const { paymentIntentId } = await create();
      settlement.answer = async () => {
        await playPayment(paymentIntentId, `${LEDGER}:43`);
        return { outcome: name, refusal: null };
      };
      expect(await notify(paymentIntentId, { ledgerBlockIndex: '43' })).toMatchObject({
        status: 'completed',
        payment: { ledgerTxId: '43' },
      });
    },
  );

  test('without a block, and on another network, answers how the intent stands', async () => {
    const { paymentIntentId } = await create();
    expect(await notify(paymentIntentId)).toMatchObject({ status: 'requires_payment', refusal: null });
    const evm = await create({ tokenShortcode: 'basesepolia_usdc' });
    expect(await notify(evm.paymentIntentId, { ledgerBlockIndex: 1 })).toMatchObject({ refusal: null });
    expect(settlement.heard).toEqual([]);
  });

  test('without an answer of settlement says nothing about the block', async () => {
    settlement.answer = async () => undefined;
    const { paymentIntentId } = await create();
    expect(await notify(paymentIntentId, { ledgerBlockIndex: 1 })).toMatchObject({
      status: 'requires_payment',
      refusal: null,
    });
    settlement.answer = async () => ({ outcome: 'refused', refusal: 'because' });
    expect(await notify(paymentIntentId, { ledgerBlockIndex: 1 })).toMatchObject({ refusal: null });
  });

  test('of another account’s intent reaches nobody', async () => {
    const { paymentIntentId } = await create();
    const response = await post(NOTIFY, { paymentIntentId, ledgerBlockIndex: 1 }, keys.live.publishable);
    expect(response.statusCode).toBe(404);
    expect(settlement.heard).toEqual([]);
  });
});

describe('a refund', () => {
  const { create: refund } = refundCalls(api);
  const paid = async () => {
    const { paymentIntentId } = await create();
    return playPayment(paymentIntentId, `${LEDGER}:51`);
  };

  test('is not prepared to be signed: the merchant sends it and names the block', async () => {
    const paymentId = await paid();
    expect(refusalOf(await refund(paymentId, { from: MERCHANT }))).toMatchObject({
      status: 422,
      error: 'refund_not_available',
      message: expect.stringContaining('send the transfer yourself and report its transactionId'),
    });
    const answer = await refund(paymentId, { from: MERCHANT, transactionId: `${LEDGER}:52` });
    expect(answer.statusCode).toBe(201);
    expect(createdRefund.parse(answer.json())).toMatchObject({
      refund: { status: 'queued', from: MERCHANT, to: PAYER, network: 'ic', transactionId: `${LEDGER}:52` },
      sign: null,
    });
    // Reported again it is the same refund.
    const again = await refund(paymentId, { from: MERCHANT, transactionId: `${LEDGER}:52` });
    expect(again.json().refund.id).toBe(answer.json().refund.id);
  });

  test('by another name than that of a block, or from an account that is none of the merchant’s, is refused', async () => {
    const paymentId = await paid();
    for (const transactionId of [`0x${'ab'.repeat(32)}`, `${LEDGER}:052`, '52'])
      expect(refusalOf(await refund(paymentId, { from: MERCHANT, transactionId }))).toMatchObject({
        error: 'malformed_request',
        param: 'transactionId',
      });
    expect(refusalOf(await refund(paymentId, { from: PAYER, transactionId: `${LEDGER}:52` }))).toMatchObject({
      error: 'refund_wallet_unknown',
    });
  });
});

/** As settlement records a transfer that completes the intent. */
async function playPayment(intentId: string, transactionId: string): Promise<string> {
  const id = newId('payment', Date.now());
  await insertRow(pool, 'payments', {
    ...owner,
    id,
    intent_id: intentId,
    network: 'icp:local',
    asset: LEDGER,
    token_shortcode: 'iclocal_ckusdc',
    payer: PAYER,
    amount: '2000000',
    status: 'pending',
  });
  await pool.query(
    `with ended as (
       update svc.payments set status = 'completed', paid_amount = amount, completed_at = now(), transaction_id = $3 where id = $2
     )
     update svc.intents set status = 'completed', payment_id = $2 where id = $1`,
    [intentId, id, transactionId],
  );
  return id;
}
