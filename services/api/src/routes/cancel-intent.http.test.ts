import { intentStatusResponse } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { CREATE, call, cancelPath, intentPath } from '../testing/call.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const api = await startTestApi();
const { publishable, secret } = api.account.keys.test;
const create = async (): Promise<string> =>
  (await call(api, 'POST', CREATE, { key: publishable, body: { usdAmount: 1 } })).json().paymentIntentId;
const cancel = (id: string, headers: Record<string, string> = {}) =>
  call(api, 'POST', cancelPath(id), { key: secret, headers });

test('an intent that nobody pays is canceled, and reading it says so', async () => {
  const id = await create();
  const response = await cancel(id);
  expect(response.statusCode).toBe(200);
  expect(intentStatusResponse.safeParse(response.json()).success).toBe(true);
  expect(response.json()).toMatchObject({ paymentIntentId: id, paymentIntent: { status: 'canceled' }, payment: null });
  const read = await call(api, 'GET', intentPath(id), { key: publishable });
  expect(read.body).toBe(response.body);
});

test('canceling again answers the same, with or without a body', async () => {
  const id = await create();
  const first = await cancel(id);
  const again = await call(api, 'POST', cancelPath(id), { key: secret, body: {} });
  const typed = await cancel(id, { 'content-type': 'application/json' });
  expect([again.body, typed.body]).toEqual([first.body, first.body]);
});

test.each(['processing', 'completed', 'failed'])('a %s intent can’t be canceled', async (status) => {
  const id = await create();
  await api.database.pool.query("update svc.intents set status = $2, payment_id = 'pay_x' where id = $1", [id, status]);
  const response = await cancel(id);
  expect({ status: response.statusCode, ...response.json() }).toMatchObject({
    status: 409,
    error: 'intent_not_cancelable',
  });
});

test('the same idempotency key answers the same bytes; for another intent it is refused', async () => {
  const [id, other] = [await create(), await create()];
  const headers = { 'idempotency-key': `cancel-${id}` };
  const [first, again, elsewhere] = [
    await cancel(id, headers),
    await cancel(id, headers),
    await cancel(other, headers),
  ];
  expect(first.headers['idempotent-replayed']).toBeUndefined();
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(again.body).toBe(first.body);
  expect({ status: elsewhere.statusCode, ...elsewhere.json() }).toMatchObject({
    status: 422,
    error: 'idempotency_key_reused',
  });
});
