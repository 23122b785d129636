import { insertRow } from '@svc-pay/postgres/testing';
import { intentStatusResponse } from '@svc-pay/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CREATE, call, cancelPath, intentPath } from '../testing/call.ts';
import { readEvents } from '../testing/read-events.ts';
import { seedAccount } from '../testing/seed-account.ts';
import { startTestApi, type TestApi } from '../testing/start-test-api.ts';

const never = String(3_600_000);
// In the first API only notifications can wake a stream, in the second only polls.
const notified = await startTestApi({ SVC_API_STREAM_POLL_MS: never, SVC_API_STREAM_HEARTBEAT_MS: '50' });
const polling = await startTestApi({ SVC_API_STREAM_POLL_MS: '100', SVC_API_STREAMS_MAX: '2' });
await polling.database.pool.query('alter table svc.intents disable trigger intents_notify');

const keyOf = (api: TestApi) => api.account.keys.test.publishable;
const create = async (api: TestApi): Promise<string> =>
  (await call(api, 'POST', CREATE, { key: keyOf(api), body: { usdAmount: 1 } })).json().paymentIntentId;
async function follow(api: TestApi, id: string, headers: Record<string, string> = {}) {
  const reader = await readEvents(`${api.url}${intentPath(id)}/stream?publishableKey=${keyOf(api)}`, headers);
  onTestFinished(reader.close);
  return reader;
}
const setStatus = (api: TestApi, id: string, status: string) =>
  api.database.pool.query("update svc.intents set status = $2, payment_id = 'pay_x' where id = $1", [id, status]);
const statusIn = (data: string | undefined) => JSON.parse(data ?? '{}').paymentIntent?.status;

test('a stream begins with how things stand, in the words of the GET', async () => {
  const id = await create(notified);
  const reader = await follow(notified, id);
  expect(reader.response.status).toBe(200);
  expect(Object.fromEntries(reader.response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-request-id': expect.stringMatching(/^req_/),
    'access-control-allow-origin': '*',
  });
  const first = await reader.next();
  expect(first?.event).toBe('payment_intent_update');
  expect(first?.data).toBe((await call(notified, 'GET', intentPath(id), { key: keyOf(notified) })).body);
  expect(intentStatusResponse.safeParse(JSON.parse(first?.data ?? '')).success).toBe(true);
});

test('a change arrives by notification alone, and terminal ends the stream', async () => {
  const id = await create(notified);
  const reader = await follow(notified, id);
  await reader.next();
  await call(notified, 'POST', cancelPath(id), { key: notified.account.keys.test.secret });
  const update = await reader.next(5_000);
  expect([update?.event, statusIn(update?.data)]).toEqual(['payment_intent_update', 'canceled']);
  const end = await reader.next(5_000);
  expect(end).toEqual({ event: 'terminal', data: update?.data, lastEventId: 'terminal' });
  expect(await reader.next()).toBeUndefined();
});

test('when notifications are lost the stream looks by itself', async () => {
  const id = await create(polling);
  const reader = await follow(polling, id);
  await reader.next();
  await setStatus(polling, id, 'processing');
  expect(statusIn((await reader.next(1_000))?.data)).toBe('processing');
  await setStatus(polling, id, 'completed');
  expect(statusIn((await reader.next(1_000))?.data)).toBe('completed');
  expect((await reader.next(1_000))?.event).toBe('terminal');
});

test('an intent that is mismatched goes on; each change is told once', async () => {
  const id = await create(polling);
  const reader = await follow(polling, id);
  await reader.next();
  await setStatus(polling, id, 'mismatched');
  expect(statusIn((await reader.next(1_000))?.data)).toBe('mismatched');
  await expect(reader.next(400)).rejects.toThrow('no event');
  await setStatus(polling, id, 'completed');
  expect(statusIn((await reader.next(1_000))?.data)).toBe('completed');
});

test('the payment is told with the intent', async () => {
  const id = await create(polling);
  const reader = await follow(polling, id);
  await reader.next();
  const { accountId } = polling.account;
  await insertRow(polling.database.pool, 'payments', { id: 'pay_stream', account_id: accountId, intent_id: id });
  await polling.database.pool.query(
    "update svc.intents set status = 'processing', payment_id = 'pay_stream' where id = $1",
    [id],
  );
  const { payment } = JSON.parse((await reader.next(1_000))?.data ?? '{}');
  expect(payment).toMatchObject({
    id: 'pay_stream',
    status: 'pending',
    paymentIntentId: id,
    network: 'evm',
    token: 'USDC',
  });
});

test('a finished intent is told and the stream ends; who has seen the end is told not to come again', async () => {
  const id = await create(notified);
  await call(notified, 'POST', cancelPath(id), { key: notified.account.keys.test.secret });
  const reader = await follow(notified, id);
  expect([(await reader.next())?.event, (await reader.next())?.event]).toEqual(['payment_intent_update', 'terminal']);
  expect(await reader.next()).toBeUndefined();
  const again = await follow(notified, id, { 'last-event-id': 'terminal' });
  expect(again.response.status).toBe(204);
});

test('comments keep a quiet stream alive', async () => {
  const reader = await follow(notified, await create(notified));
  await reader.next();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(reader.comments()).toBeGreaterThanOrEqual(3);
});

describe('the number of streams is bounded', () => {
  test('one too many is refused and can come later', async () => {
    const id = await create(polling);
    const readers = [await follow(polling, id), await follow(polling, id)];
    const refused = await follow(polling, id);
    expect(refused.response.status).toBe(503);
    expect(refused.response.headers.get('retry-after')).toBe('1');
    await readers[0]?.close();
    await expect.poll(async () => (await follow(polling, id)).response.status, { interval: 50 }).toBe(200);
  });

  test('a key, an address and an intent can’t take every stream: other accounts still follow theirs', async () => {
    const api = await startTestApi({
      SVC_API_STREAMS_MAX: '20',
      SVC_API_STREAMS_PER_ADDRESS: '5',
      SVC_API_STREAMS_PER_KEY: '8',
      SVC_API_STREAMS_PER_INTENT: '3',
      SVC_API_TRUSTED_PROXIES: '127.0.0.1',
    });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const statuses = async (count: number, nextId: () => Promise<string>, address: (n: number) => string) => {
      const list: number[] = [];
      for (let n = 0; n < count; n += 1) {
        const { response } = await follow(api, await nextId(), from(address(n)));
        list.push(response.status);
        if (response.status === 429) expect(response.headers.get('retry-after')).toBe('10');
      }
      return list.filter((status) => status === 200).length;
    };
    const shared = await create(api);
    const one = async () => shared;
    expect(await statuses(5, one, (n) => `192.0.2.${n}`)).toBe(3);
    // A /64 of IPv6 counts as one address.
    expect(
      await statuses(
        20,
        () => create(api),
        (n) => `2001:db8::${n + 1}`,
      ),
    ).toBe(5);
    expect(
      await statuses(
        12,
        () => create(api),
        (n) => `198.51.100.${n}`,
      ),
    ).toBe(0);

    const other = await seedAccount(api.database.pool);
    const key = other.keys.test.publishable;
    const { paymentIntentId } = (await call(api, 'POST', CREATE, { key, body: { usdAmount: 1 } })).json();
    const reader = await readEvents(
      `${api.url}${intentPath(paymentIntentId)}/stream?publishableKey=${key}`,
      from('203.0.113.9'),
    );
    onTestFinished(reader.close);
    expect(reader.response.status).toBe(200);
    expect(await (await fetch(api.metricsUrl)).text()).toMatch(
      /^requests_limited_total\{policy="streams",class="streams"\} \d+$/m,
    );
  });

  test('clients that leave are counted out, and nobody watches for them', async () => {
    const before = await gauge(notified);
    const readers = await Promise.all(Array.from({ length: 20 }, async () => follow(notified, await create(notified))));
    expect(await gauge(notified)).toBe(before + 20);
    await Promise.all(readers.map((reader) => reader.close()));
    await expect.poll(() => gauge(notified), { interval: 20 }).toBe(before);
  });
});

async function gauge(api: TestApi): Promise<number> {
  const text = await (await fetch(api.metricsUrl)).text();
  return Number(/^stream_connections (\d+)$/m.exec(text)?.[1]);
}
