// The payable address in a browser: a checkout page beside the answers to x402 clients.

import { gunzipSync } from 'node:zlib';
import { insertRow } from '@svc-pay/postgres/testing';
import { UPTO_CAP_METADATA_KEY } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import type { LightMyRequestResponse } from 'fastify';
import { expect, test, vi } from 'vitest';
import { CREATE, call, cancelPath } from '../testing/call.ts';
import { USDC } from '../testing/payment-chain.ts';
import { playPart } from '../testing/play-part.ts';
import { playBroadcast, playCompletion, playFailure, TRANSACTION } from '../testing/play-settlement.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { startPayableApi } from '../testing/start-payable-api.ts';

let skippedMs = 0;
const clock = { nowMs: () => Date.now() + skippedMs };
const api = await startPayableApi({}, clock);
const { pool } = api.database;
const { secret: secretKey } = api.account.keys.test;
const payer = newPayer();
await api.chain.mint(USDC, payer.address, 10n ** 12n);
await pool.query(`update svc.accounts set name = 'Tea House'`);

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const decode = (header: unknown) => JSON.parse(Buffer.from(String(header), 'base64').toString());
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

/** An intent as the merchant's server makes it, and its address. */
async function open(body: object = {}, key = secretKey) {
  const asked = { usdAmount: '12.5', tokenShortcode: 'anvil_usdc', ...body };
  const response = await call(api, 'POST', CREATE, { key, body: asked });
  const { paymentIntentId, clientSecret, accepts } = response.json();
  const url = `/pay/${paymentIntentId}?client_secret=${clientSecret}`;
  return { id: String(paymentIntentId), url, clientSecret, acceptance: accepts?.[0], headers: response.headers };
}
const browse = (url: string, headers: Record<string, string> = {}) =>
  call(api, 'GET', url, { headers: { ...BROWSER, ...headers } });
const stateOf = ({ body }: LightMyRequestResponse) => /<main[^>]* data-state="([\w-]+)"/.exec(body)?.[1];
const textOf = ({ body }: LightMyRequestResponse) => body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

const confirmCap = (id: string) =>
  pool.query('update svc.intents set service_metadata = service_metadata || $2 where id = $1', [
    id,
    { [UPTO_CAP_METADATA_KEY]: '5000000' },
  ]);

/** Has the intent paid up to the claim. */
async function claim({ id, url, acceptance }: Awaited<ReturnType<typeof open>>) {
  const { payload } = decode(await signHeader(payer, acceptance));
  const header = encode({ x402Version: 1, scheme: 'exact', network: 'eip155:31337', payload });
  const response = await browse(url, { 'x-payment': header });
  await vi.waitFor(async () => {
    const { rows } = await pool.query('select from svc.payments where intent_id = $1', [id]);
    expect(rows).toHaveLength(1);
  });
  return response;
}

test('a browser gets a page that says who is paid, how much, in which token and where, and pays by the button', async () => {
  const opened = await open({ description: 'Two tins of tea' });
  const response = await browse(opened.url);
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(stateOf(response)).toBe('open');
  const text = textOf(response);
  for (const words of ['Tea House', '$12.50', '12.50 USDC on Anvil', 'Two tins of tea', 'Test mode', 'No network fee'])
    expect(text).toContain(words);
  expect(response.body).toContain(
    `<svc-pay-button payment-intent-id="${opened.id}" client-secret="${opened.clientSecret}" usd-amount="12.5" token-shortcode="anvil_usdc">`,
  );
  expect(opened.headers['x-svc-pay-url']).toBe(`https://pay.example${opened.url}`);
  expect(response.body).toContain('<title>Pay $12.50 to Tea House</title>');
});

test('the page has the QR code of its address, and a link for each wallet that can pay', async () => {
  const opened = await open();
  const { body } = await browse(opened.url);
  expect(body).toMatch(/class="qr"[^>]*><svg [^<>]+><path d="[^"<>]+"\/><\/svg>/);
  const links = [...body.matchAll(/<li><a href="([^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
  expect(links.map((link) => new URL(link).host)).toEqual([
    'metamask.app.link',
    'go.cb-w.com',
    'rnbwapp.com',
    'link.trustwallet.com',
  ]);
  expect(links[0]).toBe(`https://metamask.app.link/dapp/pay.example${opened.url}`);
  expect(links[1]).toContain(encodeURIComponent(`https://pay.example${opened.url}`));
});

test('the page may load and send nothing elsewhere, is framed by nobody and kept by nobody', async () => {
  const opened = await open();
  const bad = await browse(`/pay/${opened.id}`);
  for (const { headers } of [await browse(opened.url), bad]) {
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  }
});

test('what merchants write is text, in every place', async () => {
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e';
  await pool.query('update svc.accounts set name = $1', [evil]);
  const opened = await open({ description: evil, resource: evil, metadata: { evil } });
  const pages = [await browse(opened.url)];
  await call(api, 'POST', cancelPath(opened.id), { key: secretKey, body: {} });
  pages.push(await browse(opened.url));
  await pool.query(`update svc.accounts set name = 'Tea House'`);
  for (const { body } of pages) {
    expect(body).toContain('&lt;script&gt;');
    const tags = [...body.matchAll(/<[^>]*>/g)].join('');
    expect(tags).not.toMatch(/<script>|<img|\son\w+=|\sstyle=|javascript:/i);
    expect([...body.matchAll(/<script\b/g)]).toHaveLength(2);
  }
});

test('programs get x402 at the same address, and a payment is answered as x402 whoever sends it', async () => {
  const opened = await open();
  for (const accept of ['*/*', 'application/json', 'application/json, text/plain, */*']) {
    const response = await call(api, 'GET', opened.url, { headers: { accept } });
    expect(response.statusCode).toBe(402);
    expect(response.json()).toMatchObject({ x402Version: 1 });
  }
  const paid = await claim(opened);
  expect(paid.statusCode).toBe(202);
  expect(paid.headers['content-type']).toContain('application/json');
  expect(paid.headers['x-payment-response']).toBeDefined();
});

test('page and x402 are two answers of one address: neither may be kept, and both say what they depend on', async () => {
  const { url, id } = await open();
  const answers = [
    await browse(url),
    await call(api, 'GET', url),
    await browse(`/pay/${id}`),
    await call(api, 'GET', `/pay/${id}`),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 402, 404, 404]);
  for (const { headers } of answers) {
    expect(headers['cache-control']).toBe('no-store');
    expect(String(headers['vary']).split(', ')).toContain('Accept');
  }
});

test('HEAD shows nothing and pays nothing, whatever it accepts or bears', async () => {
  const { url, id } = await open();
  const head = await call(api, 'HEAD', url, { headers: { ...BROWSER, 'x-payment': 'anything' } });
  expect(head.statusCode).toBe(405);
  const { rows } = await pool.query('select status from svc.intents where id = $1', [id]);
  expect(rows).toEqual([{ status: 'requires_payment' }]);
});

test('a payment under way is shown so, without anything to pay', async () => {
  const opened = await open();
  await claim(opened);
  await playBroadcast(pool, opened.id);
  await pool.query('update svc.payments set transaction_id = $2 where intent_id = $1', [opened.id, TRANSACTION]);
  const response = await browse(opened.url);
  expect(stateOf(response)).toBe('settling');
  expect(textOf(response)).toContain('Do not pay again');
  expect(response.body).toContain(`href="https://explorer.example/tx/${TRANSACTION}"`);
  expect(response.body).not.toMatch(/<svc-pay-button|class="qr"|class="wallets"/);
  await playCompletion(pool, opened.id);
  const paid = await browse(opened.url);
  expect(stateOf(paid)).toBe('paid');
  expect(textOf(paid)).toMatch(/Payment of \$12\.50.* Paid Thank you\..* Network Anvil/);
  expect(paid.body).toContain(`href="https://explorer.example/tx/${TRANSACTION}"`);
  expect(paid.body).not.toContain('<svc-pay-button');
});

test('after a failed attempt it may be paid again, and says that nothing was charged', async () => {
  const opened = await open();
  await claim(opened);
  await playFailure(pool, opened.id, 'token_refused');
  const response = await browse(opened.url);
  expect(stateOf(response)).toBe('open');
  expect(textOf(response)).toContain('did not go through and nothing was charged. You can pay again.');
});

test.each([
  ['canceled', 'ended', 'can’t be paid any more. Ask Tea House for a new link.'],
  ['failed', 'unpaid', 'nothing was charged'],
])('an intent that is %s offers nothing to pay', async (status, state, words) => {
  const opened = await open();
  await pool.query('update svc.intents set status = $2 where id = $1', [opened.id, status]);
  const response = await browse(opened.url);
  expect(response.statusCode).toBe(200);
  expect(stateOf(response)).toBe(state);
  expect(textOf(response)).toContain(words);
  expect(response.body).not.toContain('<svc-pay-button');
});

/** Money on chain for the intent, as the reader records it: `paid` of the 12.50 USDC that it asks for. */
async function playMismatch({ id }: Awaited<ReturnType<typeof open>>, paid: number) {
  await pool.query(
    `update svc.payments set status = 'mismatched', paid_amount = $2, transaction_id = $3 where intent_id = $1`,
    [id, paid, TRANSACTION],
  );
  await pool.query(`update svc.intents set status = 'mismatched' where id = $1`, [id]);
}

test('an intent of which a part arrived is paid like any other, and the page says what arrived', async () => {
  const opened = await open();
  await claim(opened);
  await playMismatch(opened, 125_000);
  const shown = await browse(opened.url);
  expect(stateOf(shown)).toBe('open');
  expect(shown.body).toMatch(/<svc-pay-button [^]*class="wallets"[^]*class="qr"/);
  const text = textOf(shown);
  expect(text).toContain('0.125 USDC instead of $12.50 arrived for this payment, so it is not paid yet.');
  expect(text).toContain('contact Tea House before you pay again');
  expect(text).not.toContain('do not pay again');
});

test('a part that counts is told with the rest that remains', async () => {
  const opened = await open();
  await playPart(api.database, opened.id, 2_500_000n);
  const text = textOf(await browse(opened.url));
  expect(text).toContain('2.50 USDC of 12.50 USDC arrived for this payment, and 10.00 USDC remain.');
  expect(text).toContain('The button pays the whole amount: if you sent the first part, contact Tea House');
  const { accountId: account_id } = api.account;
  await insertRow(pool, 'account_tokens', { account_id, mode: 'test', shortcode: 'anvil_plain' });
  const plain = await open({ tokenShortcode: 'anvil_plain' });
  await playPart(api.database, plain.id, 2_500_000n);
  const sent = textOf(await browse(plain.url));
  expect(sent).toContain('10.00 PLAIN on Anvil');
  expect(sent).not.toContain('The button pays the whole amount');
});

test('an intent whose parts are more than was asked offers nothing to pay', async () => {
  const opened = await open();
  await playPart(api.database, opened.id, 7_000_000n);
  expect(stateOf(await browse(opened.url))).toBe('open');
  await playPart(api.database, opened.id, 7_000_000n);
  const shown = await browse(opened.url);
  expect(stateOf(shown)).toBe('mismatch');
  expect(textOf(shown)).toContain('do not pay again');
  expect(shown.body).not.toMatch(/<svc-pay-button|class="qr"|class="wallets"/);
});

test('an intent for which another amount arrived offers nothing to pay once it has expired, or if more than asked arrived', async () => {
  const opened = await open();
  await claim(opened);
  await playMismatch(opened, 12_500_001);
  const over = await browse(opened.url);
  await playMismatch(opened, 125_000);
  const { rows } = await pool.query('select expires_at from svc.intents where id = $1', [opened.id]);
  skippedMs = rows[0].expires_at.getTime() - Date.now() + 1_000;
  const expired = await browse(opened.url);
  skippedMs = 0;
  for (const shown of [over, expired]) {
    expect(stateOf(shown)).toBe('mismatch');
    expect(textOf(shown)).toContain('do not pay again');
    expect(shown.body).not.toMatch(/<svc-pay-button|class="qr"|class="wallets"/);
  }
});

test('an intent that has expired offers nothing to pay, before anybody has canceled it', async () => {
  const opened = await open();
  const { rows } = await pool.query('select expires_at from svc.intents where id = $1', [opened.id]);
  skippedMs = rows[0].expires_at.getTime() - Date.now() + 1_000;
  const response = await browse(opened.url);
  skippedMs = 0;
  expect(stateOf(response)).toBe('expired');
  // It may have been paid on chain, where nobody has looked yet.
  expect(textOf(response)).toContain('If you have paid, do not pay again');
  expect(response.body).not.toContain('<svc-pay-button');
});

test('an intent whose price has ended, or that has no way to pay, offers nothing to pay', async () => {
  const priced = await open({ tokenShortcode: 'anvil_vol' });
  expect(textOf(await browse(priced.url))).toContain('6.25 VOL on Anvil');
  skippedMs = 601_000;
  expect(stateOf(await browse(priced.url))).toBe('expired');
  skippedMs = 0;
  const fallback = await open({ tokenShortcode: 'polygon_usdc' }, api.account.keys.live.secret);
  const shown = await browse(fallback.url);
  expect(stateOf(shown)).toBe('no_way');
  expect(textOf(shown)).toContain('Nothing was charged. Ask Tea House for a new link.');
  expect(shown.body).not.toMatch(/<svc-pay-button|class="qr"|class="wallets"|Test mode/);
});

test('an up-to intent asks for a cap, and says that nothing was charged once it is confirmed', async () => {
  const body = { amount: '5000000', tokenShortcode: 'anvil_usdc', x402Upto: true };
  const { paymentIntentId, clientSecret } = (await call(api, 'POST', CREATE, { key: secretKey, body })).json();
  const url = `/pay/${paymentIntentId}?client_secret=${clientSecret}`;
  const asked = await browse(url);
  expect(stateOf(asked)).toBe('open');
  expect(textOf(asked)).toContain('Authorize at most 5.00 USDC');
  expect(asked.body).toMatch(/<svc-pay-button [^>]*mode="upto">/);
  await confirmCap(paymentIntentId);
  const confirmed = await browse(url);
  expect(stateOf(confirmed)).toBe('authorized');
  expect(textOf(confirmed)).toContain('Nothing was charged yet. Tea House charges what you use, 5.00 USDC at most');
});

test('programs hear that an up-to intent is open, and that it is under way once it is confirmed', async () => {
  const { url, id } = await open({ x402Upto: true });
  const asked = await call(api, 'GET', url);
  expect(asked.statusCode).toBe(402);
  expect(asked.json()).toMatchObject({ x402Version: 1, accepts: [], error: 'x402_not_available_for_token' });
  expect(asked.headers['payment-required']).toBeUndefined();
  await confirmCap(id);
  const confirmed = await call(api, 'GET', url);
  expect(confirmed.statusCode).toBe(202);
  expect(confirmed.json()).toMatchObject({ status: 'processing' });
  expect(confirmed.json()).not.toHaveProperty('error');
  const permit = await open({ tokenShortcode: 'anvil_vol' });
  expect((await call(api, 'GET', permit.url)).statusCode).toBe(402);
});

test('who asked for tokens is shown tokens, and the button holds no dollars against them', async () => {
  const asked = { usdAmount: undefined, tokenShortcode: 'anvil_vol' };
  const opened = await open({ ...asked, amount: '10000000000000000000' });
  const shown = await browse(opened.url);
  expect(shown.body).toContain('<title>Pay 10.00 VOL to Tea House</title>');
  expect(textOf(shown)).not.toContain('$');
  expect(shown.body).not.toContain('usd-amount');
  expect(shown.body).toMatch(/<svc-pay-button [^>]*token-shortcode="anvil_vol">/);
  const view = await call(api, 'GET', `/sdk/public/payments/intents/${opened.id}`, { key: secretKey });
  expect(view.json().paymentIntent).toMatchObject({ amountUsd: '20', metadata: {} });
});

test('a link without its secret shows the same page for every intent, and nothing of any', async () => {
  const [first, second] = [await open({ description: 'Two tins of tea' }), await open()];
  const urls = [
    `/pay/${first.id}`,
    `/pay/${first.id}?client_secret=`,
    `/pay/${first.id}?${second.url.split('?')[1]}`,
    `/pay/${newId('paymentIntent', Date.now())}?${first.url.split('?')[1]}`,
    '/pay/nothing',
  ];
  const pages = await Promise.all(urls.map((url) => browse(url)));
  const [shown] = pages.map(({ body }) => body.replace(/req_\w+/, ''));
  for (const response of pages) {
    expect(response.statusCode).toBe(404);
    expect(stateOf(response)).toBe('missing');
    expect(response.body.replace(/req_\w+/, '')).toBe(shown);
    expect(textOf(response)).toContain('If you have paid already, do not pay again');
    expect(response.body).not.toMatch(/Tea House|pi_/);
  }
  expect((await call(api, 'GET', urls[0] ?? '')).json()).toMatchObject({ error: 'not_found' });
});

test('words of whoever has the publishable key are not shown beside the merchant’s name', async () => {
  const body = { usdAmount: '12.5', tokenShortcode: 'anvil_usdc', description: 'Send it to 0xbad instead' };
  const made = await call(api, 'POST', CREATE, { key: api.account.keys.test.publishable, body });
  const shown = await browse(String(made.headers['x-svc-pay-url']).replace('https://pay.example', ''));
  expect(stateOf(shown)).toBe('open');
  expect(shown.body).not.toContain('0xbad');
  const mine = await open({ description: 'Two tins of tea' });
  await pool.query(`update svc.intents set service_metadata = '{}' where id = $1`, [mine.id]);
  expect((await browse(mine.url)).body).not.toContain('Two tins of tea');
});

test('the merchant’s own notes are not on the page', async () => {
  const opened = await open({ metadata: { buyer: 'Ann Other' } });
  expect((await browse(opened.url)).body).not.toContain('Ann Other');
});

test('every file that the page names is served, packed on request, and kept for ever by its hash', async () => {
  const { body } = await browse((await open()).url);
  const files = [...body.matchAll(/(?:src|href)="\.\.(\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
  expect(files).toHaveLength(3);
  for (const file of files) {
    const plain = await call(api, 'GET', file);
    const packed = await call(api, 'GET', file, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(plain.statusCode).toBe(200);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['content-type']).toMatch(/^text\/(?:javascript|css); charset=utf-8$/);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
  }
});

test('the button’s script has a plain name for pages of merchants, which is asked for again soon', async () => {
  const response = await call(api, 'GET', '/assets/svc-pay-button.js');
  expect(response.body).toContain('svc-pay-button');
  expect(response.headers).toMatchObject({
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
});

test('a hash of another release gets what there is and is not kept; other names are none', async () => {
  const other = await call(api, 'GET', '/assets/checkout.AAAAAAAAAAAAAAAA.js');
  expect([other.statusCode, other.headers['cache-control']]).toEqual([200, 'no-store']);
  for (const file of ['nothing.js', 'checkout.txt', '..%2fpackage.json', 'constructor.js', 'checkout'])
    expect((await call(api, 'GET', `/assets/${file}`)).statusCode).toBe(404);
});
