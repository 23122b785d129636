// The Solana Pay transaction request, as a wallet app makes it: without a key, by the address of the link alone.
import { getTransactionDecoder } from '@solana/kit';
import { clientSecretOf } from '@svc-pay/core';
import { insertRow } from '@svc-pay/postgres/testing';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { openNode, referenceOf } from '@svc-pay/solana';
import { drawActors, startLiteChain } from '@svc-pay/solana/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { requestUrlOf } from '../buyer/request-url.ts';
import { CREATE, call, cancelPath } from '../testing/call.ts';
import { playPart } from '../testing/play-part.ts';
import { NETWORKS, PEPPER, seedAccount } from '../testing/seed-account.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const chain = await startLiteChain();
afterAll(() => chain.stop());
const { payer, merchant, platform, stranger } = await drawActors();
await Promise.all([merchant, platform, stranger.address].map((owner) => chain.fundToken(owner, 0n)));
await chain.fundToken(payer.address, 100_000_000n);
const genesisHash = await openNode(chain.rpcUrl).genesisHash();
const cluster = { feeAccount: platform, ready: true, rpcUrls: [chain.rpcUrl], genesisHash };
let skippedMs = 0;
const api = await startTestApi(
  {
    SVC_NETWORKS: JSON.stringify({ ...NETWORKS, 'solana:devnet': cluster }),
    SVC_API_CORS_ORIGINS: 'https://shop.example',
  },
  { nowMs: () => Date.now() + skippedMs },
);
const { pool } = api.database;
const { accountId, keys } = api.account;
await pool.query(`update svc.accounts set name = 'Tea House'`);
await insertRow(pool, 'payouts', {
  account_id: accountId,
  mode: 'test',
  network: 'solana:devnet',
  payout_id: 7,
  processor: platform,
  merchant,
  fee_bps: 100,
  status: 'active',
});
await insertRow(pool, 'relayers', {
  network: 'solana:devnet',
  address: stranger.address,
  mode: 'test',
  next_nonce: 0,
});

const ORIGIN = { origin: 'https://wallet.example' };

async function open(body: object = {}) {
  const asked = { usdAmount: '12.5', tokenShortcode: 'soldevnet_usdc', ...body };
  const response = await call(api, 'POST', CREATE, { key: keys.test.secret, body: asked });
  const { paymentIntentId } = response.json();
  const regular = await call(api, 'GET', `/sdk/public/payments/intents/${paymentIntentId}/regular`, {
    key: keys.test.publishable,
  });
  const [option] = regular.json().regular;
  const url = new URL(decodeURIComponent(option.link.slice('solana:'.length)));
  return { id: String(paymentIntentId) as Id<'paymentIntent'>, option, path: `${url.pathname}${url.search}` };
}
const ask = (path: string, account: unknown = payer.address) =>
  call(api, 'POST', path, { headers: ORIGIN, body: { account } });
const referencesOf = async (id: string) => {
  const { rows } = await pool.query('select * from svc.payment_references where intent_id = $1', [id]);
  return rows;
};

test('the link of an intent leads a wallet to label and icon, and to a transaction that the account alone signs', async () => {
  const { id, option, path } = await open();
  expect(option).toMatchObject({ kind: 'solana_pay', network: 'solana:devnet', amount: '12500000', decimals: 6 });
  expect(option.transactionRequestUrl).toBe(`https://pay.example${path}`);
  const label = await call(api, 'GET', path, { headers: ORIGIN });
  expect(label.statusCode).toBe(200);
  const { icon, ...rest } = label.json();
  expect(rest).toEqual({ label: 'Tea House' });
  const image = await call(api, 'GET', new URL(icon).pathname);
  expect([image.statusCode, image.headers['content-type']]).toEqual([200, 'image/svg+xml']);
  expect(await referencesOf(id)).toEqual([]);
  const answer = await ask(path);
  expect([answer.statusCode, answer.json().message]).toEqual([200, '12.50 USDC to Tea House']);
  const wire = Buffer.from(answer.json().transaction, 'base64');
  expect(getTransactionDecoder().decode(wire).signatures).toEqual({ [payer.address]: null });
  for (const response of [label, answer]) {
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.headers['cache-control']).toBe('no-store');
  }
});

test('an intent of which a part arrived is asked for the rest', async () => {
  const { id, path } = await open();
  await playPart(api.database, id, 2_500_000n);
  const regular = await call(api, 'GET', `/sdk/public/payments/intents/${id}/regular`, { key: keys.test.publishable });
  expect(regular.json().regular).toMatchObject([
    { amount: '10000000', requestedAmount: '12500000', paidAmount: '2500000' },
  ]);
  const answer = (await ask(path)).json();
  expect(answer.message).toBe('10.00 USDC to Tea House');
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(answer.transaction, 'base64'));
  // TransferChecked, number 12: the merchant's leg and the fee of one per cent.
  const moved = (atomic: bigint) => Buffer.from([12, ...bytesOf(atomic), 6]);
  for (const leg of [9_900_000n, 100_000n]) expect(Buffer.from(messageBytes).includes(moved(leg))).toBe(true);
});

const bytesOf = (atomic: bigint) => Buffer.from(BigUint64Array.of(atomic).buffer);

test('the reference is stored before its transaction is handed out, once however often wallets ask', async () => {
  const { id, path } = await open();
  await ask(path);
  const { rows } = await pool.query('select id from svc.installation');
  const [first] = await referencesOf(id);
  expect(first).toMatchObject({
    reference: referenceOf(rows[0].id, id),
    network: 'solana:devnet',
    account_id: accountId,
    fee_recipient: platform,
    cursor: null,
  });
  await pool.query(`update svc.payment_references set next_read_at = now() + interval '1 day', cursor = 'here'`);
  skippedMs += 1_000;
  await ask(path);
  const [second, ...others] = await referencesOf(id);
  expect(others).toEqual([]);
  expect(second).toMatchObject({ cursor: 'here', reference: first.reference });
  expect(second.opened_at.getTime()).toBeGreaterThan(first.opened_at.getTime());
  expect(second.next_read_at).toEqual(second.opened_at);
});

test('a preflight from anywhere is answered for both methods', async () => {
  const { path } = await open();
  const response = await call(api, 'OPTIONS', path, { headers: ORIGIN });
  expect(response.statusCode).toBe(204);
  expect(response.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST, OPTIONS',
  });
});

test.each<[string, unknown, number, object]>([
  ['has too little', stranger.address, 409, { error: 'insufficient_funds', message: expect.stringMatching(/enough/) }],
  ['is the merchant', merchant, 409, { error: 'sender_mismatch' }],
  ['is no address', 'me', 400, { error: 'malformed_request', message: expect.any(String) }],
  ['is no text', 7, 400, { error: 'malformed_request', message: expect.any(String) }],
])('an account that %s gets a message, and nothing is opened', async (_, account, status, body) => {
  const { id, path } = await open();
  const response = await ask(path, account);
  expect(response.statusCode).toBe(status);
  expect(response.json()).toMatchObject(body);
  expect(response.headers['access-control-allow-origin']).toBe('*');
  expect(await referencesOf(id)).toEqual([]);
});

test('an intent of another payer, of another token, canceled, expired or about to expire is not paid', async () => {
  const bound = await open({ expectedSenderPrincipal: merchant });
  expect((await ask(bound.path)).json()).toMatchObject({ error: 'sender_mismatch' });
  const { path, id } = await open();
  const other = await ask(path.replace('soldevnet_usdc', 'basesepolia_usdc'));
  expect([other.statusCode, other.json().error]).toEqual([409, 'x402_not_available_for_token']);
  await call(api, 'POST', cancelPath(id), { key: keys.test.secret, body: {} });
  expect((await ask(path)).json()).toMatchObject({ error: 'intent_not_payable' });
  const late = await open();
  skippedMs += 24 * 3_600_000 - 60_000;
  expect((await ask(late.path)).json()).toMatchObject({ error: 'intent_not_payable' });
  expect(await referencesOf(late.id)).toEqual([]);
  skippedMs += 60_001;
  expect((await ask(late.path)).json()).toMatchObject({ error: 'intent_not_payable' });
});

test('a wrong secret, or that of another intent, opens nothing and tells nothing', async () => {
  const [one, other] = [await open(), await open()];
  const foreign = `/pay/solana/${one.id}${other.path.slice(other.path.indexOf('?'))}`;
  const nobodys = newId('paymentIntent', Date.now());
  const secret = clientSecretOf(PEPPER, { accountId: accountId as Id<'account'>, mode: 'test' }, nobodys);
  for (const path of [
    foreign,
    `/pay/solana/${one.id}`,
    `/pay/solana/${nobodys}?client_secret=${secret}&token=soldevnet_usdc`,
  ]) {
    const response = await ask(path);
    expect([response.statusCode, response.json().error]).toEqual([404, 'not_found']);
  }
  expect(await referencesOf(one.id)).toEqual([]);
});

test('an intent that only its payer’s own transaction can pay shows the code on its page, and no button', async () => {
  const response = await call(api, 'POST', '/sdk/public/payments/intents', {
    key: keys.test.secret,
    body: { usdAmount: '12.5', tokenShortcode: 'soldevnet_usdc' },
  });
  const { paymentIntentId, clientSecret, regular } = response.json();
  expect(regular).toMatchObject([{ kind: 'solana_pay' }]);
  const accept = 'text/html,application/xhtml+xml';
  const page = await call(api, 'GET', `/pay/${paymentIntentId}?client_secret=${clientSecret}`, { headers: { accept } });
  expect(page.body).toContain('data-state="open"');
  expect(page.body).toMatch(/<div class="phone solana">\n<div class="qr"[^>]*><svg /);
  expect(page.body).toContain(`<a href="${regular[0].link}">`);
  expect(page.body).not.toContain('<svc-pay-button');
});

test('with live money no link is given for an address without TLS', async () => {
  const owner = { accountId: accountId as Id<'account'>, mode: 'live' } as const;
  const intentId = newId('paymentIntent', Date.now());
  expect(requestUrlOf({ peppers: [PEPPER] }, owner, intentId, 'http://pay.example')('sol_usdc')).toBeNull();
  expect(requestUrlOf({ peppers: [PEPPER] }, owner, intentId, 'https://pay.example')('sol_usdc')).toMatch(/^https:/);
});

test('a chain that does not answer is told as such', async () => {
  const silent = await startTestApi({
    SVC_NETWORKS: JSON.stringify({ ...NETWORKS, 'solana:devnet': { ...cluster, rpcUrls: ['http://127.0.0.1:9'] } }),
  });
  await insertRow(silent.database.pool, 'payouts', {
    account_id: silent.account.accountId,
    mode: 'test',
    network: 'solana:devnet',
    payout_id: 7,
    processor: platform,
    merchant,
    fee_bps: 0,
    status: 'active',
  });
  const made = await call(silent, 'POST', '/sdk/public/payments/intents', {
    key: silent.account.keys.test.secret,
    body: { usdAmount: '1', tokenShortcode: 'soldevnet_usdc' },
  });
  const url = new URL(made.json().regular[0].transactionRequestUrl);
  const response = await call(silent, 'POST', `${url.pathname}${url.search}`, { body: { account: payer.address } });
  expect([response.statusCode, response.json().error]).toEqual([503, 'chain_unavailable']);
  expect(response.json().message).toMatch(/try again/);
});

test('after its payout is disabled an intent offers no link, no wallet gets a transaction, and a new intent offers nothing', async () => {
  const { id, path } = await open();
  expect((await ask(path)).statusCode).toBe(200);
  const status = (to: string) =>
    pool.query(`update svc.payouts set status = $1 where network = 'solana:devnet' and payout_id = 7`, [to]);
  await status('disabled');
  onTestFinished(async () => void (await status('active')));
  const regular = await call(api, 'GET', `/sdk/public/payments/intents/${id}/regular`, { key: keys.test.publishable });
  expect(regular.json().regular).toEqual([]);
  const refused = await ask(path);
  expect(refused.statusCode).not.toBe(200);
  expect(refused.json()).not.toHaveProperty('transaction');
  const offer = await call(api, 'GET', `/sdk/public/payments/intents/${id}/x402`, { key: keys.test.publishable });
  expect(offer.json().accepts ?? []).toEqual([]);
});

test('a payout of another account, or of another number, does not keep an offer open', async () => {
  const { id } = await open();
  const other = await seedAccount(pool);
  const row = {
    mode: 'test',
    network: 'solana:devnet',
    processor: stranger.address,
    merchant,
    fee_bps: 0,
    status: 'active',
  };
  await insertRow(pool, 'payouts', { ...row, account_id: other.accountId, payout_id: 7 });
  await insertRow(pool, 'payouts', { ...row, account_id: accountId, payout_id: 8 });
  const status = (to: string) => pool.query(`update svc.payouts set status = $1 where processor = $2`, [to, platform]);
  await status('disabled');
  onTestFinished(async () => {
    await status('active');
    await pool.query('delete from svc.payouts where processor = $1', [stranger.address]);
  });
  const regular = await call(api, 'GET', `/sdk/public/payments/intents/${id}/regular`, { key: keys.test.publishable });
  expect(regular.json().regular).toEqual([]);
});
