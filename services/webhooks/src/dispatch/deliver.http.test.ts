import { createSealer, endpointContext, newEndpointSecret, sealingKeyOf } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { START_MS, startDeliveryWorld } from '../testing/delivery-world.ts';
import { startReceiver, status } from '../testing/receiver.ts';
import { BOX, MASTER_KEYS } from '../testing/shop.ts';
import { verifyByTheText, verifyStandard } from '../testing/verify-by-the-text.ts';

const world = await startDeliveryWorld();
const { shop, pool, clock, settle, delivery, attempts } = world;
const seconds = () => Math.floor(clock.nowMs() / 1_000);

test('a delivery arrives once, signed, with the bytes that were stored', async () => {
  const receiver = await startReceiver();
  const endpoint = await shop.addEndpoint({ url: `${receiver.url}?a=1` });
  const event = await shop.emit([endpoint], { sequence: 7 });
  await settle();
  expect(receiver.requests).toHaveLength(1);
  const [{ headers, body, path }] = receiver.requests as [(typeof receiver.requests)[0]];
  expect(path).toBe('/hooks?a=1');
  const { rows } = await pool.query<{ body: Buffer }>('select body from svc.events where id = $1', [event]);
  expect(body).toEqual(rows[0]!.body);
  expect(verifyByTheText(headers, body, shop.secretKey, seconds())).toBe(true);
  expect(verifyStandard(headers, body, endpoint.secret, seconds())).toBe(true);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-svc-sequence': '7',
    'webhook-id': event,
    'content-length': String(body.length),
  });
  expect(headers).not.toHaveProperty('accept-encoding');
  expect(await delivery(event)).toMatchObject({
    status: 'succeeded',
    attempt_count: 1,
    next_at: null,
    lease_until: null,
  });
  await settle();
  expect(receiver.requests).toHaveLength(1);
});

test('custom headers arrive, and the log shows their names alone', async () => {
  const receiver = await startReceiver();
  const headers = { Authorization: 'Bearer shop-token', 'X-Shop': 'a b' };
  const event = await shop.emit([await shop.addEndpoint({ url: receiver.url, headers })]);
  await settle();
  expect(receiver.requests[0]?.headers).toMatchObject({ authorization: 'Bearer shop-token', 'x-shop': 'a b' });
  const [attempt] = await attempts(event);
  expect(attempt?.request_headers).toMatchObject({ Authorization: '***', 'X-Shop': '***', 'x-svc-sequence': '1' });
  expect(attempt?.request_headers['x-svc-signature']).toMatch(/^t=\d+,v1=\*{3}$/);
  expect(JSON.stringify(attempt)).not.toContain('shop-token');
});

test('while two secrets overlap both sign, one after the other, and the interface’s own signature stays one', async () => {
  const receiver = await startReceiver();
  const endpoint = await shop.addEndpoint({ url: receiver.url });
  const next = newEndpointSecret((length) => crypto.getRandomValues(new Uint8Array(length)));
  // Sealed like in the API, which can seal but not open.
  const sealer = createSealer(sealingKeyOf(MASTER_KEYS[0]));
  await pool.query(
    `update svc.endpoints set previous_secret_ciphertext = secret_ciphertext, previous_secret_expires_at = $2,
       secret_ciphertext = $3 where id = $1`,
    [
      endpoint.id,
      new Date(clock.nowMs() + 60_000),
      sealer.seal(next, endpointContext(shop.accountId, endpoint.id, 'endpoint-secret')),
    ],
  );
  const event = await shop.emit([endpoint], { atMs: clock.nowMs() });
  await settle();
  const [during] = receiver.requests;
  expect(String(during?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  for (const secret of [next, endpoint.secret]) {
    expect(verifyStandard(during!.headers, during!.body, secret, seconds())).toBe(true);
  }
  expect(during?.headers['x-svc-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  expect((await attempts(event))[0]?.request_headers['webhook-signature']).toBe('v1,*** v1,***');
  clock.move(60_000);
  await shop.emit([endpoint], { atMs: clock.nowMs() });
  await settle();
  const after = receiver.requests[1]!;
  expect(verifyStandard(after.headers, after.body, next, seconds())).toBe(true);
  expect(verifyStandard(after.headers, after.body, endpoint.secret, seconds())).toBe(false);
});

test('only subscribed endpoints get an event', async () => {
  // Deliveries are chosen when events are written; the service goes only by the rows.
  const [one, other] = [await startReceiver(), await startReceiver()];
  const subscribed = await shop.addEndpoint({ url: one.url });
  await shop.addEndpoint({ url: other.url, eventTypes: ['payment.refunded'] });
  await shop.emit([subscribed]);
  await settle();
  expect([one.requests.length, other.requests.length]).toEqual([1, 0]);
});

describe('retries', () => {
  test.each([
    [0, 1],
    [3, 4],
  ])('a retry count of %d makes %d requests, the same bytes each, signed anew', async (retryCount, requests) => {
    const receiver = await startReceiver(status(500));
    const event = await shop.emit([await shop.addEndpoint({ url: receiver.url, retryCount })]);
    const times: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      await settle();
      if (receiver.requests.length > times.length) times.push(seconds());
      clock.move(25 * 3_600_000);
    }
    expect(receiver.requests).toHaveLength(requests);
    expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1);
    for (const [index, { headers, body }] of receiver.requests.entries()) {
      expect(verifyByTheText(headers, body, shop.secretKey, times[index]!)).toBe(true);
    }
    expect(await delivery(event)).toMatchObject({
      status: 'failed',
      reason: 'retries_exhausted',
      attempt_count: requests,
    });
    expect((await attempts(event)).map(({ outcome, response_status }) => [outcome, response_status])).toEqual(
      Array.from({ length: requests }, () => ['refused', 500]),
    );
  });

  test('none goes out before its time, and the row says when that is', async () => {
    const receiver = await startReceiver(status(500));
    const event = await shop.emit([await shop.addEndpoint({ url: receiver.url })], { atMs: clock.nowMs() });
    await settle();
    expect((await delivery(event)).next_at).toEqual(new Date(clock.nowMs() + 5_000));
    expect((await attempts(event))[0]?.next_at).toEqual(new Date(clock.nowMs() + 5_000));
    clock.move(4_999);
    await settle();
    expect(receiver.requests).toHaveLength(1);
    clock.move(1);
    await settle();
    expect(receiver.requests).toHaveLength(2);
    expect((await delivery(event)).next_at).toEqual(new Date(clock.nowMs() + 60_000));
  });

  test.each([
    ['429 without a word', status(429), 60_000],
    ['429 with seconds', status(429, { 'retry-after': '3600' }), 3_600_000],
    ['503 with seconds', status(503, { 'retry-after': '120' }), 120_000],
    ['503 without a word', status(503), 5_000],
    ['302 elsewhere', status(302, { location: 'http://10.0.0.1/' }), 5_000],
  ])('%s is obeyed', async (_, answer, delayMs) => {
    const receiver = await startReceiver(answer);
    const event = await shop.emit([await shop.addEndpoint({ url: receiver.url })], { atMs: clock.nowMs() });
    await settle();
    expect((await delivery(event)).next_at).toEqual(new Date(clock.nowMs() + delayMs));
    expect(receiver.requests).toHaveLength(1);
  });

  test('a date in Retry-After counts from now', async () => {
    const until = new Date(clock.nowMs() + 1_800_000);
    const receiver = await startReceiver(status(503, { 'retry-after': until.toUTCString() }));
    const event = await shop.emit([await shop.addEndpoint({ url: receiver.url })], { atMs: clock.nowMs() });
    await settle();
    const { next_at } = await delivery(event);
    expect(Math.abs((next_at as Date).getTime() - until.getTime())).toBeLessThan(1_000);
  });
});

test('every attempt is kept with its phases, its answer and when it goes on', async () => {
  const receiver = await startReceiver((response) => {
    response.writeHead(418, { 'x-why': 'teapot', 'set-cookie': 'a=b' }).end(`short and stout${'.'.repeat(30_000)}`);
  });
  const event = await shop.emit([await shop.addEndpoint({ url: receiver.url })], { atMs: clock.nowMs() });
  await settle();
  const [attempt] = await attempts(event);
  expect(attempt).toMatchObject({
    attempt: 1,
    outcome: 'refused',
    response_status: 418,
    address: '127.0.0.1',
    dns_ms: null,
    tls_ms: null,
    error: null,
    next_at: new Date(clock.nowMs() + 5_000),
    response_headers: { 'x-why': 'teapot', 'set-cookie': '***' },
  });
  expect(attempt?.connect_ms).toBeGreaterThanOrEqual(0);
  expect(attempt?.first_byte_ms).toBeGreaterThanOrEqual(0);
  expect(attempt?.response_excerpt).toHaveLength(20_000);
  expect(attempt?.response_excerpt?.toString()).toMatch(/^short and stout/);
});

test('a rolled key signs until the merchant switches', async () => {
  const receiver = await startReceiver();
  const endpoint = await shop.addEndpoint({ url: receiver.url });
  const other = 'sk_test_another';
  await pool.query(
    `insert into svc.api_keys (account_id, mode, id, kind, lookup, ciphertext, hint, created_at)
     values ($1, 'test', 'key_other', 'secret', sha256('x'), $2, 'hint', now())`,
    [shop.accountId, BOX.seal(other, { accountId: shop.accountId, id: 'key_other', purpose: 'api-key' })],
  );
  const signedBy = async (key: string) => {
    await shop.emit([endpoint], { atMs: clock.nowMs() });
    await settle();
    const { headers, body } = receiver.requests.at(-1)!;
    return verifyByTheText(headers, body, key, seconds());
  };
  expect(await signedBy(shop.secretKey)).toBe(true);
  await pool.query('update svc.api_keys set signing = false where id = $1', [shop.keyId]);
  await pool.query("update svc.api_keys set signing = true where id = 'key_other'");
  // Cached signing keys expire after a second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await signedBy(other)).toBe(true);
  await pool.query("update svc.api_keys set signing = false, revoked_at = now() where id = 'key_other'");
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await signedBy(shop.secretKey)).toBe(true);
});

test('without a key to sign with nothing is sent, and nothing is charged', async () => {
  const receiver = await startReceiver();
  const poor = await startDeliveryWorld();
  const event = await poor.shop.emit([await poor.shop.addEndpoint({ url: receiver.url, retryCount: 0 })]);
  await poor.pool.query('update svc.api_keys set signing = false, revoked_at = now()');
  await poor.settle();
  expect(receiver.requests).toHaveLength(0);
  expect(await poor.delivery(event)).toMatchObject({ status: 'pending', attempt_count: 1, uncharged_count: 1 });
  expect(await poor.attempts(event)).toMatchObject([
    { outcome: 'our_fault', error: 'the account has no key to sign with', next_at: new Date(START_MS + 5_000) },
  ]);
});
