// The routes that stock sellers call, in the shapes of the published packages. The signed payloads are those of a stock client.
import { directNonce } from '@svc-pay/protocol/direct-nonce';
import { newId } from '@svc-pay/protocol/ids';
import { x402SettleAnswer, x402Supported, x402VerifyAnswer } from '@svc-pay/protocol/x402';
import type { Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import { activateWallet, DIRECT_SETTINGS } from '../../testing/activate-wallet.ts';
import { call, intentPath } from '../../testing/call.ts';
import { USDC } from '../../testing/payment-chain.ts';
import { newNonce, newPayer } from '../../testing/sign-header.ts';
import { startPayableApi } from '../../testing/start-payable-api.ts';

const api = await startPayableApi({ ...DIRECT_SETTINGS, SVC_API_SELLER_WAIT_MS: '0' });
const { pool } = api.database;
const key = api.account.keys.test.secret;
const { activation } = await activateWallet(api);
const payer = newPayer();
await api.chain.mint(USDC, payer.address, 10n ** 12n);

const DOMAIN = { name: 'USD Coin', version: '2' };
const requirements = (change: object = {}) => ({
  scheme: 'exact',
  network: 'eip155:31337',
  amount: '10000',
  asset: USDC,
  payTo: activation.wallet,
  maxTimeoutSeconds: 300,
  extra: DOMAIN,
  ...change,
});

type Signed = { readonly signer?: typeof payer; readonly authorization?: object; readonly nonce?: Hex };
async function body(change: object = {}, { signer = payer, authorization = {}, nonce = newNonce() }: Signed = {}) {
  const accepted = requirements(change);
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const signed = {
    from: signer.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(nowSeconds - 600),
    validBefore: String(nowSeconds + 300),
    nonce,
    ...authorization,
  };
  const signature = await signer.signTypedData({
    domain: { ...DOMAIN, chainId: 31_337, verifyingContract: USDC },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: {
      ...signed,
      to: signed.to as Hex,
      value: BigInt(signed.value),
      validAfter: BigInt(signed.validAfter),
      validBefore: BigInt(signed.validBefore),
    },
  });
  const resource = { url: 'https://api.example/weather', description: 'Weather', mimeType: 'application/json' };
  const payload = { signature, authorization: signed };
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, payload, accepted, resource },
    paymentRequirements: accepted,
  };
}

const post = async (route: 'verify' | 'settle', given: object | string, asked: string = key) => {
  const response = await call(api, 'POST', `/x402/${route}`, { key: asked, body: given });
  const schema = route === 'verify' ? x402VerifyAnswer : x402SettleAnswer;
  expect(schema.safeParse(response.json()).error).toBeUndefined();
  return response;
};
const verify = async (given: object) => (await post('verify', given)).json();
const settle = async (given: object) => (await post('settle', given)).json();
const leases = async () => (await pool.query('select * from svc.x402_leases order by call_at desc')).rows;
const marked = (answer: string) =>
  expect.poll(async () => (await leases())[0]?.answer, { timeout: 3_000 }).toBe(answer);

describe('supported', () => {
  test('lists what the account is paid on, with the address for each token of one dollar', async () => {
    const response = await call(api, 'GET', '/x402/supported', { key });
    expect(x402Supported.safeParse(response.json()).success).toBe(true);
    const kind = response.json().kinds.find(({ network }: { network: string }) => network === 'eip155:31337');
    expect(kind).toMatchObject({
      x402Version: 2,
      scheme: 'exact',
      extra: { tokens: [{ asset: USDC, payTo: activation.wallet, decimals: 6, ...DOMAIN }] },
    });
  });

  test('an account without a wallet is offered nothing', async () => {
    const { kinds } = (await call(api, 'GET', '/x402/supported', { key: api.account.keys.live.secret })).json();
    expect(kinds).toEqual([]);
  });
});

describe('a wallet that nobody activated', () => {
  const forge = (activation: object) =>
    pool.query('update svc.payouts set activation = $1 where merchant = $2', [activation, wallet]);
  const wallet = activation.wallet.toLowerCase();

  test('is named to no seller, verified for none and settled for none', async () => {
    const { rows } = await pool.query('select activation from svc.payouts where merchant = $1', [wallet]);
    expect(rows).toHaveLength(1);
    for (const forged of [{}, { ...rows[0].activation, number: '77' }]) {
      await forge(forged);
      const { kinds } = (await call(api, 'GET', '/x402/supported', { key })).json();
      expect(JSON.stringify(kinds).toLowerCase()).not.toContain(wallet);
      expect(await verify(await body())).toMatchObject({ isValid: false });
      expect(await settle(await body())).toMatchObject({ success: false, transaction: '' });
      const told = await verify(await body({ payTo: `0x${'12'.repeat(20)}` }));
      expect(told.invalidMessage.toLowerCase()).not.toContain(wallet);
    }
    await forge(rows[0].activation);
    expect(await verify(await body())).toMatchObject({ isValid: true });
  });
});

test('a nonce that commits to an intent is taken by neither route', async () => {
  for (const [version, intentCode] of [
    ['verify', 0],
    ['settle', 0],
    ['verify', 5],
  ] as const) {
    const nonce = directNonce({
      chainId: 31_337,
      installation: activation.installation,
      mode: 'test',
      token: USDC,
      wallet: activation.wallet,
      amount: '10000',
      intentCode,
      attempt: 1,
    });
    const answer = (await post(version, await body({}, { nonce }))).json();
    expect(answer.isValid ?? answer.success).toBe(false);
    expect(answer.invalidReason ?? answer.errorReason).toBe('invalid_payment_requirements');
  }
});

describe('verify', () => {
  test('leases a valid payment to one call', async () => {
    const given = await body();
    expect(await verify(given)).toEqual({ isValid: true, payer: payer.address.toLowerCase() });
    await marked('arrived');
    expect(await verify(given)).toMatchObject({ isValid: false, invalidReason: 'duplicate_settlement' });
  });

  test('16 at once with one payload: one is valid', async () => {
    const given = await body();
    const answers = await Promise.all(Array.from({ length: 16 }, () => verify(given)));
    expect(answers.filter(({ isValid }) => isValid)).toHaveLength(1);
  });

  test('payloads beyond the payer’s balance are invalid before they are settled', async () => {
    const signer = newPayer();
    await api.chain.mint(USDC, signer.address, 25_000n);
    const answers = await Promise.all(Array.from({ length: 6 }, async () => verify(await body({}, { signer }))));
    expect(answers.filter(({ isValid }) => isValid)).toHaveLength(2);
    expect(answers.find(({ isValid }) => !isValid)).toMatchObject({
      invalidReason: 'invalid_exact_evm_insufficient_balance',
      payer: signer.address.toLowerCase(),
    });
  });

  test.each<[string, string, RegExp, () => Promise<object>]>([
    [
      'invalid_exact_evm_signature',
      'a stranger signed',
      /invalid_signature/,
      async () => {
        const given = await body();
        const { payload } = given.paymentPayload;
        const from = newPayer().address;
        return {
          ...given,
          paymentPayload: {
            ...given.paymentPayload,
            payload: { ...payload, authorization: { ...payload.authorization, from } },
          },
        };
      },
    ],
    [
      'invalid_exact_evm_payload_authorization_value_mismatch',
      'another amount was signed',
      /amount/,
      () => body({}, { authorization: { value: '9999' } }),
    ],
    [
      'invalid_exact_evm_payload_authorization_valid_before',
      'the window is over',
      /expired/,
      () => body({}, { authorization: { validBefore: '1700000000' } }),
    ],
    [
      'invalid_exact_evm_insufficient_balance',
      'the wallet is empty',
      /insufficient_funds/,
      () => body({}, { signer: newPayer() }),
    ],
    [
      'invalid_exact_evm_recipient_mismatch',
      'payTo is no wallet of the account',
      new RegExp(activation.wallet),
      () => body({ payTo: `0x${'12'.repeat(20)}` }),
    ],
    [
      'invalid_payment_requirements',
      'the name of the token is wrong',
      /extra.name must be "USD Coin"/,
      () => body({ extra: { name: 'USDC', version: '2' } }),
    ],
    ['unexpected_verify_error', 'the token is unknown', /token_unknown/, () => body({ asset: `0x${'34'.repeat(20)}` })],
  ])('%s: %s', async (invalidReason, _, message, given) => {
    const answer = await verify(await given());
    expect(answer).toMatchObject({ isValid: false, invalidReason });
    expect(answer.invalidMessage).toMatch(message);
  });
});

describe('settle', () => {
  test('makes an intent and a payment of the account, with its event', async () => {
    const given = await body();
    expect(await verify(given)).toMatchObject({ isValid: true });
    expect(await settle(given)).toEqual({
      success: false,
      errorReason: 'settlement_pending',
      errorMessage: expect.any(String),
      transaction: '',
      network: 'eip155:31337',
      payer: payer.address.toLowerCase(),
      amount: '10000',
    });
    const [lease] = await leases();
    expect(lease).toMatchObject({ answer: 'pending', call: 2, account_id: api.account.accountId });
    const status = (await call(api, 'GET', intentPath(lease.intent_id), { key })).json();
    expect(status).toMatchObject({
      paymentIntent: {
        status: 'processing',
        amount: '10000',
        description: 'Weather',
        metadata: { svc_x402_version: 2 },
      },
      payment: { status: 'pending' },
    });
    const events = await pool.query('select type from svc.events where intent_id = $1', [lease.intent_id]);
    expect(events.rows).toEqual([{ type: 'payment_intent.created' }]);
  });

  test('again after pending joins the settlement and claims nothing more', async () => {
    const given = await body();
    await settle(given);
    const [first] = await leases();
    expect(await settle(given)).toMatchObject({ errorReason: 'settlement_pending' });
    const [second] = await leases();
    expect(second).toMatchObject({ intent_id: first.intent_id, call: first.call + 1 });
    expect(await verify(given)).toMatchObject({ isValid: false, invalidReason: 'duplicate_settlement' });
  });

  test('16 at once without a verify: one intent, one claim', async () => {
    const given = await body();
    const before = (await pool.query('select count(*)::integer as n from svc.intents')).rows[0].n;
    const answers = await Promise.all(Array.from({ length: 16 }, () => settle(given)));
    for (const answer of answers) expect(answer).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    expect((await pool.query('select count(*)::integer as n from svc.intents')).rows[0].n).toBe(before + 1);
    const [lease] = await leases();
    const claims = await pool.query('select intent_id from svc.claims where claim_key = $1', [lease.claim_key]);
    expect(claims.rows).toEqual([{ intent_id: lease.intent_id }]);
  });

  test('a refused payment makes no intent', async () => {
    const before = (await pool.query('select count(*)::integer as n from svc.intents')).rows[0].n;
    expect(await settle(await body({}, { signer: newPayer() }))).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_evm_insufficient_balance',
      transaction: '',
    });
    expect((await pool.query('select count(*)::integer as n from svc.intents')).rows[0].n).toBe(before);
  });

  test('a process that ended between begin and claim leaves the intent to the next call', async () => {
    const given = await body();
    await settle(given);
    const [lease] = await leases();
    // As if the process had ended there: nothing is claimed, and no answer was marked for a long time.
    await pool.query('delete from svc.settlements where intent_id = $1', [lease.intent_id]);
    await pool.query('delete from svc.payments where intent_id = $1', [lease.intent_id]);
    await pool.query('delete from svc.authorizations where intent_id = $1', [lease.intent_id]);
    await pool.query('delete from svc.claims where intent_id = $1', [lease.intent_id]);
    await pool.query("update svc.intents set status = 'requires_payment', payment_id = null where id = $1", [
      lease.intent_id,
    ]);
    await pool.query(
      "update svc.x402_leases set answer = null, call_at = now() - interval '66 seconds' where claim_key = $1",
      [lease.claim_key],
    );
    expect(await settle(given)).toMatchObject({ errorReason: 'settlement_pending' });
    const claims = await pool.query('select intent_id from svc.claims where claim_key = $1', [lease.claim_key]);
    expect(claims.rows).toEqual([{ intent_id: lease.intent_id }]);
  });

  test('a signature that another intent has is a repeat', async () => {
    const given = await body();
    await settle(given);
    await pool.query('delete from svc.x402_leases where claim_key = $1', [(await leases())[0].claim_key]);
    expect(await settle(given)).toMatchObject({ success: false, errorReason: 'duplicate_settlement' });
    expect(await verify(given)).toMatchObject({ isValid: false, invalidReason: 'duplicate_settlement' });
  });

  test('what was settled is told as such where the chain or the window refuses it too', async () => {
    const signer = newPayer();
    await api.chain.mint(USDC, signer.address, 10_000n);
    const given = await body({}, { signer });
    await settle(given);
    // The wallet of the seller is another one by now, so that the payment would be refused without a look at its claim.
    await pool.query("update svc.payouts set status = 'disabled' where merchant = $1", [
      activation.wallet.toLowerCase(),
    ]);
    try {
      expect(await verify(given)).toMatchObject({ isValid: false, invalidReason: 'duplicate_settlement' });
      expect(await verify(await body())).toMatchObject({ invalidReason: 'invalid_exact_evm_recipient_mismatch' });
    } finally {
      await pool.query("update svc.payouts set status = 'active' where merchant = $1", [
        activation.wallet.toLowerCase(),
      ]);
    }
  });

  test('another account’s lease is not settled', async () => {
    const given = await body();
    await verify(given);
    await pool.query('update svc.x402_leases set account_id = $1 where intent_id is null and claim_key = $2', [
      newId('account', Date.now()),
      (await leases())[0].claim_key,
    ]);
    expect(await settle(given)).toMatchObject({ success: false, errorReason: 'duplicate_settlement' });
  });
});

describe('every answer has the shape of its route', () => {
  const broken: [string, object | string, number][] = [
    ['an empty object', {}, 200],
    ['no JSON', '{', 400],
    [
      'a payload of nothing',
      { paymentPayload: { x402Version: 2 }, paymentRequirements: { network: 'eip155:31337' } },
      200,
    ],
    ['a version of tomorrow', { paymentPayload: { x402Version: 3 }, paymentRequirements: { network: '' } }, 200],
  ];
  test.each(broken)('%s', async (_, given, status) => {
    for (const route of ['verify', 'settle'] as const) expect((await post(route, given)).statusCode).toBe(status);
  });

  test('a key that is refused, and one that is public', async () => {
    for (const route of ['verify', 'settle'] as const) {
      expect((await post(route, {}, 'sk_test_nobody')).statusCode).toBe(401);
      const shown = await post(route, {}, api.account.keys.test.publishable);
      expect(shown.statusCode).toBe(403);
      expect(JSON.stringify(shown.json())).toContain('This endpoint takes a secret key');
    }
  });
});

test('an answer that nobody received leaves its lease to the next verify', async () => {
  const given = await body();
  expect(await verify(given)).toMatchObject({ isValid: true });
  await marked('arrived');
  await pool.query("update svc.x402_leases set answer = 'lost' where claim_key = $1", [(await leases())[0].claim_key]);
  expect(await verify(given)).toMatchObject({ isValid: true });
});
