// What holds for every call. What the network may lose against a real API: services/api/src/routes/server-library.http.test.ts.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSvcPay } from '../client.ts';
import { fakeService, refusal, type Step, unavailable } from '../testing/fake-service.ts';

const page = { status: 200, body: { data: [], hasMore: false } } satisfies Step;
const endpoint = { endpoint: { id: 'we_1' }, secret: 'whsec_x' };
const hooks = { url: 'https://shop.example', eventTypes: ['payment.completed' as const] };

describe('what is sent', () => {
  test('a read has no body and no idempotency key; something new has one key over all attempts', async () => {
    const { seen, client } = await fakeService(page, unavailable, 'hang up', { status: 201, body: endpoint });
    const svc = client();
    await svc.events.list({ type: 'payment.failed', createdAfter: new Date(0), undelivered: true });
    await svc.endpoints.create(hooks);
    const [read, ...made] = seen;
    expect(read).toMatchObject({
      method: 'GET',
      path: '/sdk/events?type=payment.failed&createdAfter=1970-01-01T00%3A00%3A00.000Z&undelivered=true',
      body: '',
      headers: { authorization: 'Bearer sk_test_key', 'x-account-id': 'acct_1' },
    });
    expect(read?.headers).not.toHaveProperty('idempotency-key');
    expect(read?.headers).not.toHaveProperty('content-type');
    expect(made).toHaveLength(3);
    expect(new Set(made.map(({ body }) => body))).toEqual(new Set([JSON.stringify(hooks)]));
    expect(new Set(made.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(made[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('two calls have two keys, and a key of the caller’s is taken as it is', async () => {
    const { seen, client } = await fakeService({ status: 201, body: endpoint });
    for (const options of [{}, {}, { idempotencyKey: 'order-7' }]) await client().endpoints.create(hooks, options);
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe('order-7');
  });

  test('a key that is none is refused before anything is sent', async () => {
    const { seen, client } = await fakeService({ status: 201, body: endpoint });
    for (const idempotencyKey of ['', 'a b', 'ü', 'x'.repeat(256), 'a\nb']) {
      expect(await client().endpoints.create(hooks, { idempotencyKey })).toMatchObject({
        code: 'idempotency_key_invalid',
      });
    }
    expect(seen).toEqual([]);
  });

  test('no id leads a request elsewhere', async () => {
    const { seen, client } = await fakeService({ status: 404, body: refusal('not_found') });
    for (const id of ['..', '', 'a/../b', '?x', 'evt_1#', '%2e%2e', 'x'.repeat(101)]) await client().events.get(id);
    expect(new Set(seen.map(({ path }) => path))).toEqual(new Set(['/sdk/events/-']));
  });

  test('without an account none is named', async () => {
    const { seen, baseUrl } = await fakeService(page);
    await createSvcPay({ baseUrl, secretKey: 'sk_test_key' }).events.list();
    expect(seen[0]?.headers).not.toHaveProperty('x-account-id');
  });
});

test('whatever is answered, a call ends: attempts are counted, and none is made after a word that is final', async () => {
  const steps = fc.array(
    fc.constantFrom<Step>(
      'hang up',
      unavailable,
      page,
      { status: 400, body: refusal('malformed_request') },
      {
        status: 502,
        body: 'x',
      },
    ),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (planned, maxAttempts) => {
      const { seen, waits, client } = await fakeService(...planned);
      const result = await client({ maxAttempts }).events.list();
      const isFinal = (step: Step) => typeof step !== 'string' && step.status < 500;
      const first = planned.findIndex(isFinal);
      const expected = first === -1 ? maxAttempts : Math.min(first + 1, maxAttempts);
      expect(seen).toHaveLength(expected);
      expect(waits).toHaveLength(expected - 1);
      expect(result.ok).toBe(planned[first] === page && first < maxAttempts);
      if (!result.ok) expect(result.moneyMoved).toBe('no');
    }),
    { numRuns: 40 },
  );
});

describe('Retry-After', () => {
  const limited = (retryAfter: string): Step => ({
    status: 429,
    body: refusal('rate_limited', { retryable: true }),
    headers: { 'retry-after': retryAfter },
  });

  test.each([
    ['7', 7_000],
    ['Thu, 01 Jan 1970 00:00:09 GMT', 9_000],
  ])('%s is kept', async (retryAfter, ms) => {
    const { waits, client } = await fakeService(limited(retryAfter), page);
    expect(await client({ now: () => 0 }).events.list()).toMatchObject({ ok: true });
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(ms);
    expect(waits[0]).toBeLessThanOrEqual(ms + 125);
  });

  test('one that is too long to wait for is handed on', async () => {
    const { seen, client } = await fakeService(limited('120'));
    expect(await client().events.list()).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      retryAfterMs: 120_000,
      httpStatus: 429,
      requestId: 'req_7',
    });
    expect(seen).toHaveLength(1);
  });
});

describe('a signal', () => {
  test('that has fired lets nothing out', async () => {
    const { seen, client } = await fakeService(page);
    const result = await client().events.list({}, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ ok: false, code: 'aborted', moneyMoved: 'no' });
    expect(seen).toEqual([]);
  });

  test('ends an attempt that hears nothing, and says that money may have moved', async () => {
    const { seen, client } = await fakeService('silence');
    const call = { paymentIntentId: 'pi_1', settledAmount: '1' };
    const result = await client().upto.settle(call, { signal: AbortSignal.timeout(1_000) });
    expect(result).toMatchObject({ ok: false, code: 'aborted', moneyMoved: 'unknown' });
    expect(seen).toHaveLength(1);
  });

  test('ends a pause', async () => {
    const { baseUrl } = await fakeService({ ...unavailable, headers: { 'retry-after': '20' } });
    const svc = createSvcPay({ baseUrl, secretKey: 'sk_test_key' });
    const startMs = performance.now();
    const result = await svc.events.list({}, { signal: AbortSignal.timeout(50) });
    expect(result).toMatchObject({ code: 'aborted' });
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });
});

test('a call’s own time counts, not the client’s', async () => {
  const { seen, client } = await fakeService('silence', page);
  expect(await client().events.list({}, { timeoutMs: 1_000 })).toMatchObject({ ok: true });
  expect(seen).toHaveLength(2);
});

test('an event of a type that came later is listed as it is', async () => {
  const later = { id: 'evt_1', type: 'payment.disputed', event: { type: 'payment.disputed' } };
  const { client } = await fakeService({ status: 200, body: { data: [later], hasMore: false } });
  expect(await client().events.list()).toEqual({ ok: true, data: [later], hasMore: false });
});

test('half an answer is none', async () => {
  const { client } = await fakeService({ status: 200, body: { data: [] }, headers: { 'x-request-id': 'req_9' } });
  expect(await client().events.list()).toMatchObject({
    code: 'answer_unreadable',
    httpStatus: 200,
    requestId: 'req_9',
    moneyMoved: 'no',
  });
});
