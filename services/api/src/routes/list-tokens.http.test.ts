import type { AcceptedToken } from '@svc-pay/protocol';
import { createSvcPay, orThrow } from '@svc-pay/server';
import { afterEach, expect, test } from 'vitest';
import { CREATE, call } from '../testing/call.ts';
import { NETWORKS } from '../testing/seed-account.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const api = await startTestApi();
const { pool } = api.database;
const { accountId, keys } = api.account;
const TOKENS = '/sdk/public/tokens';
const list = async (key: string): Promise<readonly AcceptedToken[]> =>
  (await call(api, 'GET', TOKENS, { key })).json().data;
const names = (tokens: readonly AcceptedToken[]) => tokens.map(({ tokenShortcode }) => tokenShortcode);

afterEach(async () => {
  await pool.query('update svc.account_modes set minimum_usd_micros = null');
});

test('a key lists the tokens of its own mode, and no others', async () => {
  const inTest = await call(api, 'GET', TOKENS, { key: keys.test.publishable });
  expect(inTest.statusCode).toBe(200);
  expect(inTest.json()).toMatchObject({ livemode: false, hasMore: false });
  expect(names(inTest.json().data).sort()).toEqual(['anvil_usdc', 'anvil_vol', 'basesepolia_usdc', 'soldevnet_usdc']);
  const live = (await call(api, 'GET', TOKENS, { key: keys.live.secret })).json();
  expect(live.livemode).toBe(true);
  expect(names(live.data)).toContain('base_usdc');
  expect(names(live.data)).not.toContain('basesepolia_usdc');
});

test('a token says all that a shop needs to show it and to ask for it', async () => {
  expect(
    (await list(keys.test.publishable)).find(({ tokenShortcode }) => tokenShortcode === 'basesepolia_usdc'),
  ).toEqual({
    tokenShortcode: 'basesepolia_usdc',
    token: 'USDC',
    decimals: 6,
    chain: 'eip155:84532',
    chainName: 'Base Sepolia',
    network: 'evm',
    ledgerCanisterId: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    available: true,
    upto: true,
    regular: true,
    minimumUsd: null,
    error: null,
    message: null,
  });
});

test.each(['test', 'live'] as const)('in %s mode the list and a create agree on every token', async (mode) => {
  const key = keys[mode].publishable;
  for (const { tokenShortcode, available, error, upto, regular } of await list(key)) {
    const created = await call(api, 'POST', CREATE, { key, body: { amount: '90000000', tokenShortcode } });
    // A price that no feed has is not a matter of the token.
    if (created.statusCode === 503) continue;
    expect([tokenShortcode, available]).toEqual([tokenShortcode, created.statusCode === 402]);
    if (!available) expect(error).toBe(created.json().error);
    const cap = await call(api, 'POST', CREATE, { key, body: { amount: '90000000', tokenShortcode, x402Upto: true } });
    expect([tokenShortcode, upto]).toEqual([tokenShortcode, cap.statusCode === 402]);
    const own = await call(api, 'POST', '/sdk/public/payments/intents', {
      key,
      body: { amount: '90000000', tokenShortcode },
    });
    expect([tokenShortcode, regular]).toEqual([tokenShortcode, own.statusCode === 201]);
  }
});

test('the minimum is the higher one of network and account', async () => {
  const minimumOf = async (key: string, shortcode: string) =>
    (await list(key)).find(({ tokenShortcode }) => tokenShortcode === shortcode)?.minimumUsd;
  expect(await minimumOf(keys.live.publishable, 'base_usdc')).toBe('0.01');
  await pool.query('update svc.account_modes set minimum_usd_micros = 2500000');
  expect(await minimumOf(keys.live.publishable, 'base_usdc')).toBe('2.5');
  expect(await minimumOf(keys.test.publishable, 'anvil_usdc')).toBe('2.5');
});

test('a token that is disabled leaves the list', async () => {
  const tenant = [accountId, 'live', 'base_eurc'];
  await pool.query('delete from svc.account_tokens where account_id = $1 and mode = $2 and shortcode = $3', tenant);
  expect(names(await list(keys.live.publishable))).not.toContain('base_eurc');
});

test('without a setup of its network a token is listed with the reason', async () => {
  const { 'eip155:84532': _, ...others } = NETWORKS;
  const bare = await startTestApi({ SVC_NETWORKS: JSON.stringify(others) });
  const { data } = (await call(bare, 'GET', TOKENS, { key: bare.account.keys.test.publishable })).json();
  const token = data.find(({ tokenShortcode }: AcceptedToken) => tokenShortcode === 'basesepolia_usdc');
  expect(token).toMatchObject({ available: false, error: 'x402_not_available_for_token' });
  expect(token.message).toMatch(/choose another/);
});

test('while no change of the account is announced, a list asks the database for none of its facts', async () => {
  const cached = await startTestApi({ SVC_API_CACHE_MS: '60000' });
  const key = cached.account.keys.test.publishable;
  const first = (await call(cached, 'GET', TOKENS, { key })).json();
  // Without the trigger the change is not announced, so whoever sees it has asked for the tokens.
  await cached.database.pool.query('alter table svc.account_tokens disable trigger account_tokens_settings');
  await cached.database.pool.query('delete from svc.account_tokens');
  expect((await call(cached, 'GET', TOKENS, { key })).json()).toEqual(first);
});

test('the server library lists the same tokens', async () => {
  const svc = createSvcPay({ baseUrl: api.url, secretKey: keys.test.secret, accountId });
  const { tokens } = orThrow(await svc.tokens.list());
  expect(tokens).toEqual(await list(keys.test.secret));
});
