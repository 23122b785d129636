// What a publishable key may do and see. It is public: whoever reads the merchant's page has it.
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { CREATE, call, EVENTS, intentPath, NOTIFY, SETTLE, UPTO_CONFIRM } from '../testing/call.ts';
import { readEvents } from '../testing/read-events.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const api = await startTestApi();
const { pool } = api.database;
const { publishable, secret } = api.account.keys.test;
const SHOP = 'https://shop.example';
const PRIVATE = { customerEmail: 'ada@example.com', internalNote: 'pays late' };

const set = (column: 'publishable_origins' | 'publishable_creates', value: unknown) =>
  pool.query(`update svc.account_modes set ${column} = $1 where mode = 'test'`, [value]);
afterEach(async () => {
  await set('publishable_origins', null);
  await set('publishable_creates', true);
});
const create = (key: string, body: object = {}, headers: Record<string, string> = {}) =>
  call(api, 'POST', CREATE, { key, headers, body: { usdAmount: 1, ...body } });
const newIntent = async (key: string, body: object = {}): Promise<string> =>
  (await create(key, body)).json().paymentIntentId;

describe('origins of an account', () => {
  const refused = { statusCode: 403, code: 'origin_not_allowed' };
  const answerOf = (response: Awaited<ReturnType<typeof call>>) => ({
    statusCode: response.statusCode,
    code: response.json().error,
  });

  test('keep pages of other sites from using the key, on every route; the page can read why', async () => {
    const id = await newIntent(publishable);
    await set('publishable_origins', [SHOP]);
    const stranger = { origin: 'https://evil.example' };
    const body = { paymentIntentId: id, paymentHeader: 'e30=' };
    for (const [method, path, sent] of [
      ['POST', CREATE, { usdAmount: 1 }],
      ['GET', intentPath(id), undefined],
      ['GET', `${intentPath(id)}/stream`, undefined],
      ['POST', NOTIFY, body],
      ['POST', SETTLE, body],
    ] as const) {
      const response = await call(api, method, path, {
        key: publishable,
        headers: stranger,
        ...(sent && { body: sent }),
      });
      expect([path, answerOf(response)]).toEqual([path, refused]);
      expect(response.headers['access-control-allow-origin']).toBe('*');
    }
    const inQuery = await call(api, 'GET', `${intentPath(id)}?publishableKey=${publishable}`, { headers: stranger });
    expect(answerOf(inQuery)).toEqual(refused);
  });

  test('let the shop’s own pages, agents without an origin, and the secret key through', async () => {
    await set('publishable_origins', [SHOP]);
    expect((await create(publishable, {}, { origin: SHOP })).statusCode).toBe(402);
    expect((await create(publishable)).statusCode).toBe(402);
    expect((await create(secret, {}, { origin: 'https://evil.example' })).statusCode).toBe(402);
  });

  test('are of one mode', async () => {
    await set('publishable_origins', [SHOP]);
    const live = api.account.keys.live.publishable;
    const response = await create(live, {}, { origin: 'https://evil.example' });
    expect(response.statusCode).not.toBe(403);
  });
});

test('where only the secret key creates, the publishable key still pays and reads', async () => {
  await set('publishable_creates', false);
  const refused = await create(publishable);
  expect(refused.statusCode).toBe(403);
  expect(JSON.stringify(refused.json())).toContain('key_kind_not_allowed');
  const id = await newIntent(secret);
  expect((await call(api, 'GET', intentPath(id), { key: publishable })).statusCode).toBe(200);
  const settled = await call(api, 'POST', SETTLE, {
    key: publishable,
    body: { paymentIntentId: id, paymentHeader: 'e30=' },
  });
  expect(settled.statusCode).toBe(200);
});

test('metadata takes 2 KiB from a publishable key and 16 KiB from a secret one', async () => {
  const ofBytes = (bytes: number) => ({ metadata: { note: 'x'.repeat(bytes - '{"note":""}'.length) } });
  expect((await create(publishable, ofBytes(2_048))).statusCode).toBe(402);
  const large = await create(publishable, ofBytes(2_049));
  expect(large.statusCode).toBe(422);
  expect(JSON.stringify(large.json())).toContain('metadata_too_large');
  expect((await create(secret, ofBytes(16_384))).statusCode).toBe(402);
  expect((await create(secret, ofBytes(16_385))).statusCode).toBe(422);
});

describe('metadata', () => {
  /** Everything that a key is answered about an intent, on every route that shows one. */
  async function shownTo(key: string, id: string, upto: boolean): Promise<string> {
    const body = { paymentIntentId: id, paymentHeader: 'e30=' };
    const answers = [
      await call(api, 'GET', intentPath(id), { key }),
      await call(api, 'POST', NOTIFY, { key, body }),
      await call(api, 'POST', upto ? UPTO_CONFIRM : SETTLE, { key, body }),
    ];
    for (const answer of answers) expect(answer.json().paymentIntent).toMatchObject({ id });
    const stream = await readEvents(`${api.url}${intentPath(id)}/stream`, { authorization: `Bearer ${key}` });
    onTestFinished(stream.close);
    const first = await stream.next();
    expect(first?.event).toBe('payment_intent_update');
    return [...answers.map((answer) => answer.body), first?.data].join('\n');
  }

  test.each([false, true])('that the server wrote is shown to no publishable key (up-to: %s)', async (upto) => {
    const id = await newIntent(secret, { metadata: PRIVATE, x402Upto: upto });
    const shown = await shownTo(publishable, id, upto);
    for (const text of Object.values(PRIVATE)) expect(shown).not.toContain(text);
    const own = await shownTo(secret, id, upto);
    expect(own.split('\n').filter((answer) => answer.includes(PRIVATE.customerEmail))).toHaveLength(4);
  });

  test('that a publishable key wrote is shown to it', async () => {
    const id = await newIntent(publishable, { metadata: { cart: 'A-7' } });
    expect((await shownTo(publishable, id, false)).split('\n').filter((one) => one.includes('A-7'))).toHaveLength(4);
  });

  test('of an intent whose creator nobody recorded is shown to secret keys alone', async () => {
    const id = await newIntent(publishable, { metadata: { cart: 'A-7' } });
    await pool.query("update svc.intents set service_metadata = '{}' where id = $1", [id]);
    expect(await shownTo(publishable, id, false)).not.toContain('A-7');
    expect(await shownTo(secret, id, false)).toContain('A-7');
  });

  test('is whole in events', async () => {
    const id = await newIntent(secret, { metadata: PRIVATE });
    const events = await call(api, 'GET', `${EVENTS}?intentId=${id}`, { key: secret });
    expect(events.body).toContain(PRIVATE.internalNote);
  });
});
