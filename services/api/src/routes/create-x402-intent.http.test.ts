import { paymentRequired } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { type CallOptions, CREATE, call, intentPath } from '../testing/call.ts';
import { PROCESSOR } from '../testing/seed-account.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const api = await startTestApi();
const { test: testKeys, live: liveKeys } = api.account.keys;
const create = (body: object | string, options: CallOptions = {}) =>
  call(api, 'POST', CREATE, { key: testKeys.publishable, body, ...options });
const createLive = (body: object) => create(body, { key: liveKeys.publishable });

const BASE_SEPOLIA_USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';

test('every field of the 402 body and of its acceptance is there, by name', async () => {
  const response = await create({
    usdAmount: 12.5,
    tokenShortcode: 'basesepolia_usdc',
    description: 'Two coffees',
    resource: '/orders/7',
    mimeType: 'text/html',
    metadata: { order: 7 },
  });
  expect(response.statusCode).toBe(402);
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/^req_[0-9a-z]{26}$/),
  });
  expect(response.headers['deprecation']).toBeUndefined();
  const body = response.json();
  expect(Object.keys(body).sort()).toEqual(['accepts', 'error', 'paymentIntentId', 'rpcChainId', 'x402Version']);
  expect(body.x402Version).toBe(2);
  expect(body.paymentIntentId).toMatch(/^pi_[0-9a-z]{26}$/);
  expect(body.rpcChainId).toBe('84532');
  expect(body.error).toBe('');
  expect(body.accepts).toEqual([
    {
      scheme: 'exact',
      network: 'eip155:84532',
      maxAmountRequired: '12500000',
      resource: '/orders/7',
      description: 'Two coffees',
      mimeType: 'text/html',
      payTo: PROCESSOR,
      maxTimeoutSeconds: 300,
      asset: BASE_SEPOLIA_USDC,
      extra: {
        intentId: body.paymentIntentId,
        provider: 'svc',
        ledgerId: BASE_SEPOLIA_USDC,
        facilitatorUrl: 'https://pay.example',
        name: 'USDC',
        eip3009Version: '2',
        primaryType: 'TransferWithAuthorization',
        rpcChainId: '84532',
        rpcUrlPublic: 'https://sepolia.base.org',
        svc: {
          authorizationType: 'ReceiveWithAuthorization',
          boundNonce: expect.stringMatching(/^0x7376637061790000[0-9a-f]{48}$/),
          terms: expect.objectContaining({ chainId: 84_532, processor: PROCESSOR, attempt: 0 }),
        },
      },
    },
  ]);
  expect(paymentRequired.safeParse(body).success).toBe(true);
});

test('an up-to intent offers the cap under the scheme upto and is marked as such', async () => {
  const response = await create({ usdAmount: '5', tokenShortcode: 'basesepolia_usdc', x402Upto: true });
  expect(response.statusCode).toBe(402);
  const { accepts, paymentIntentId } = response.json();
  expect(accepts).toHaveLength(1);
  expect(accepts[0]).toMatchObject({ scheme: 'upto', maxAmountRequired: '5000000', maxTimeoutSeconds: 86_400 });
  const { paymentIntent } = (await call(api, 'GET', intentPath(paymentIntentId), { key: testKeys.publishable })).json();
  expect(paymentIntent).toMatchObject({ x402_upto: true, status: 'requires_payment', amount: '5000000' });
});

test('without a token there is one acceptance per enabled token and chain that can be offered', async () => {
  const { accepts, rpcChainId } = (await create({ usdAmount: 1 })).json();
  expect(accepts.map(({ network }: { network: string }) => network)).toEqual(['eip155:84532', 'eip155:31337']);
  expect(rpcChainId).toBe('84532');
});

test('the operator’s own RPC address goes before the chain’s', async () => {
  const { accepts } = (await createLive({ usdAmount: 1, tokenShortcode: 'base_usdc' })).json();
  expect(accepts[0].extra.rpcUrlPublic).toBe('https://rpc.example/base');
});

test.each([
  [{ symbol: 'USDC', chainId: 84_532 }, ['eip155:84532']],
  [{ symbol: 'usdc', chainId: 'eip155:84532' }, ['eip155:84532']],
  [{ ledgerCanisterId: BASE_SEPOLIA_USDC.toLowerCase() }, ['eip155:84532']],
  [{ symbol: 'USDC' }, ['eip155:84532', 'eip155:31337']],
])('the deprecated selector %j works and says that it is deprecated', async (selector, networks) => {
  const response = await create({ usdAmount: 1, ...selector });
  expect(response.statusCode).toBe(402);
  expect(response.headers['deprecation']).toMatch(/^@\d+$/);
  expect(response.json().accepts.map(({ network }: { network: string }) => network)).toEqual(networks);
});

test('empty selectors are absent, and then nothing is deprecated', async () => {
  const response = await create({ usdAmount: 1, symbol: '', chainId: '', ledgerCanisterId: null });
  expect(response.statusCode).toBe(402);
  expect(response.headers['deprecation']).toBeUndefined();
});

test.each([
  ['x402_not_available_for_token', { tokenShortcode: 'ic_ckusdc' }],
  ['x402_not_available_for_token', { tokenShortcode: 'sol_usdc' }],
  ['x402_not_available_for_token', { tokenShortcode: 'eth_usdc' }],
  ['x402_temporarily_unavailable', { tokenShortcode: 'polygon_usdc' }],
])('%s is a recommendation with an intent to continue: %j', async (error, selector) => {
  const response = await createLive({ usdAmount: 3, ...selector });
  expect(response.statusCode).toBe(200);
  const body = response.json();
  expect(body).toEqual({
    status: 'failed',
    fallbackSuggested: true,
    error,
    message: expect.any(String),
    paymentIntentId: expect.stringMatching(/^pi_/),
    accepts: [],
    regular: [],
  });
  const read = await call(api, 'GET', intentPath(body.paymentIntentId), { key: liveKeys.publishable });
  expect(read.json().paymentIntent).toMatchObject({ status: 'requires_payment', amount: '3000000' });
});

test('a network that settlement withdrew is not offered, and offered again when it is back', async () => {
  const own = await startTestApi();
  const { publishable } = own.account.keys.test;
  const body = { usdAmount: 1, tokenShortcode: 'basesepolia_usdc' };
  const statusOf = async () => (await call(own, 'POST', CREATE, { key: publishable, body })).statusCode;
  const write = (offered: boolean) =>
    own.database.pool.query(
      `insert into svc.network_health (network, offered, reason, since, checked_at)
       values ('eip155:84532', $1, case when $1 then null else 'out_of_gas' end, now(), now())
       on conflict (network) do update set offered = excluded.offered, reason = excluded.reason`,
      [offered],
    );
  await write(false);
  const withdrawn = await call(own, 'POST', CREATE, { key: publishable, body });
  expect(withdrawn.json()).toMatchObject({ error: 'x402_temporarily_unavailable', fallbackSuggested: true });
  await write(true);
  await expect.poll(statusOf, { timeout: 5_000 }).toBe(402);
});

test.each([
  ['Internet Computer', { tokenShortcode: 'ic_ckusdc' }, 'live'],
  ['Solana', { tokenShortcode: 'soldevnet_usdc' }, 'test'],
  ['a processor below 1.3.0', { tokenShortcode: 'anvil_usdc' }, 'test'],
  ['a paused network', { tokenShortcode: 'polygon_usdc' }, 'live'],
] as const)('an up-to that can’t be offered is refused, never a fallback: %s', async (_, selector, mode) => {
  const key = api.account.keys[mode].publishable;
  const response = await create({ usdAmount: 3, x402Upto: true, ...selector }, { key });
  expect(response.statusCode).toBe(422);
  expect(response.json()).toMatchObject({ error: 'x402_upto_not_available', param: 'x402Upto', moneyMoved: 'no' });
});

test('a token whose price nobody knows is refused for the moment', async () => {
  const response = await createLive({ usdAmount: 3, tokenShortcode: 'base_eurc' });
  expect(response.statusCode).toBe(503);
  expect(response.json()).toMatchObject({ error: 'price_unavailable', retryable: true });
});

test('a secret key works too, and unknown fields and nulls are nothing', async () => {
  const body = { usdAmount: 1, tokenShortcode: 'basesepolia_usdc', metadata: null, unknown: { a: 1 }, x402Upto: null };
  expect((await create(body, { key: testKeys.secret })).statusCode).toBe(402);
});

test('metadata comes back as it was given, without keys of the service’s own', async () => {
  const metadata = {
    order: 'ä-7',
    nested: { usdAmount: 1.5, list: [1, null, true] },
    svc_x402_upto_max_amount_atomic: '9',
  };
  const { paymentIntentId } = (await create({ usdAmount: 1, metadata })).json();
  const { paymentIntent } = (await call(api, 'GET', intentPath(paymentIntentId), { key: testKeys.publishable })).json();
  const { svc_x402_upto_max_amount_atomic: _, ...kept } = metadata;
  expect(paymentIntent.metadata).toEqual(kept);
});

test('each intent has its event in the same commit, named after the request', async () => {
  const response = await create({ usdAmount: 1 }, { headers: { 'idempotency-key': 'event-1' } });
  const { rows } = await api.database.pool.query('select type, body from svc.events where intent_id = $1', [
    response.json().paymentIntentId,
  ]);
  expect(rows).toHaveLength(1);
  const event = JSON.parse(rows[0].body.toString('utf8'));
  expect(event).toMatchObject({
    type: 'payment_intent.created',
    livemode: false,
    request: { id: response.headers['x-request-id'], idempotency_key: 'event-1' },
  });
});
