// The merchant's library against the running API: every call, also over a network that loses requests and answers.
import { endpointContext } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import { createSvcPay, orThrow, type SvcPayError, type SvcPayOptions } from '@svc-pay/server';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { call, intentPath } from '../testing/call.ts';
import { lossyFetch, REQUEST_FAULTS, type RequestFault } from '../testing/lossy-fetch.ts';
import { USDC } from '../testing/payment-chain.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { startFakeSettlement } from '../testing/start-fake-settlement.ts';
import { startPayableApi } from '../testing/start-payable-api.ts';
import { BOX, startTestApi } from '../testing/start-test-api.ts';
import { ROUTES } from './route-table.ts';

const settlement = await startFakeSettlement();
const api = await startPayableApi({ SVC_SETTLEMENT_URL: settlement.url });
const { pool } = api.database;
const { accountId, keys } = api.account;
const whole = lossyFetch();
const options = { baseUrl: api.url, secretKey: keys.test.secret, accountId } satisfies SvcPayOptions;
const svc = createSvcPay({ ...options, fetch: whole.fetch });
const hooks = { url: 'https://shop.example/hooks', eventTypes: ['payment_intent.created' as const] };
const order = { usdAmount: '1.5', tokenShortcode: 'anvil_usdc', metadata: { order: 'A-7' } };
const count = async (table: 'intents' | 'endpoints') =>
  (await pool.query<{ count: number }>(`select count(*)::integer from svc.${table}`)).rows[0]?.count ?? 0;

test('an intent is created, found and canceled', async () => {
  const created = orThrow(await svc.intents.create(order));
  expect(created).toMatchObject({
    kind: 'payment_required',
    paymentRequired: { x402Version: 2, accepts: [{ scheme: 'exact', maxAmountRequired: '1500000' }] },
  });
  const { paymentIntentId, clientSecret } = created;
  // The page's part of it; the body that is handed on does not have it.
  const read = await call(api, 'GET', intentPath(paymentIntentId), { key: String(clientSecret) });
  expect(read.json()).toMatchObject({ paymentIntent: { id: paymentIntentId, metadata: {} } });
  expect(created).not.toHaveProperty('paymentRequired.clientSecret');
  const found = await svc.intents.get(paymentIntentId);
  expect(found).toMatchObject({
    ok: true,
    situation: { paymentIntentId, paymentIntent: { status: 'requires_payment', metadata: { order: 'A-7' } } },
  });
  for (let times = 0; times < 2; times += 1) {
    expect(await svc.intents.cancel(paymentIntentId)).toMatchObject({
      ok: true,
      situation: { paymentIntent: { status: 'canceled' } },
    });
  }
});

test('a token that can’t be signed for is answered with a fallback', async () => {
  const created = await svc.intents.create({ usdAmount: 1, tokenShortcode: 'soldevnet_usdc' });
  expect(created).toMatchObject({ ok: true, kind: 'fallback', fallback: { fallbackSuggested: true } });
});

test('an up-to intent is created, its signed cap kept, and let go', async () => {
  const payer = newPayer();
  await api.chain.mint(USDC, payer.address, 10n ** 9n);
  const created = orThrow(await svc.intents.create({ ...order, x402Upto: true, maxTimeoutSeconds: 3_600 }));
  if (created.kind !== 'payment_required') throw new Error(created.kind);
  const { paymentIntentId } = created;
  const acceptance = created.paymentRequired.accepts[0]!;
  expect(acceptance).toMatchObject({ scheme: 'upto', maxAmountRequired: '1500000', maxTimeoutSeconds: 3_600 });
  const paymentHeader = await signHeader(payer, acceptance);
  expect(await svc.upto.confirm({ paymentIntentId, paymentHeader })).toMatchObject({
    ok: true,
    confirmation: { alreadyConfirmed: false },
  });
  expect(await svc.upto.settle({ paymentIntentId, settledAmount: '1500001' })).toMatchObject({
    code: 'settled_amount_out_of_range',
    httpStatus: 422,
    moneyMoved: 'no',
  });
  expect(await svc.upto.release({ paymentIntentId })).toMatchObject({
    ok: true,
    released: { paymentIntent: { status: 'canceled' } },
  });
  expect(await svc.upto.confirm({ paymentIntentId, paymentHeader: 'bm8=' })).toMatchObject({
    code: 'invalid_payment_header',
    httpStatus: 200,
  });
});

test('without an account, settling is refused before it is sent; with another one, by the service', async () => {
  const { accountId: _, ...without } = options;
  const call = { paymentIntentId: 'pi_1', settledAmountUsd: 1 };
  expect(await createSvcPay(without).upto.settle(call)).toMatchObject({
    code: 'account_id_required',
    httpStatus: null,
  });
  const other = createSvcPay({ ...options, accountId: 'acct_other' });
  expect(await other.events.list()).toMatchObject({ ok: false, code: 'account_mismatch', httpStatus: 403 });
});

test('an endpoint through its whole life', async () => {
  const { endpoint, secret } = orThrow(await svc.endpoints.create(hooks));
  const { id } = endpoint;
  expect(secret).toMatch(/^whsec_/);
  expect(await svc.endpoints.get(id)).toEqual({ ok: true, endpoint });
  const changed = await svc.endpoints.update(id, { retryCount: 3, headers: { 'X-Shop': 'a' } });
  expect(changed).toMatchObject({ ok: true, endpoint: { retryCount: 3, headers: { 'X-Shop': '***' } } });
  expect(await svc.endpoints.disable(id)).toMatchObject({ ok: true, endpoint: { status: 'disabled' } });
  expect(await svc.endpoints.test(id, 'payment.failed')).toMatchObject({ code: 'endpoint_disabled', httpStatus: 409 });
  expect(await svc.endpoints.enable(id)).toMatchObject({ ok: true, endpoint: { status: 'enabled' }, replayed: 0 });
  const { eventId } = orThrow(await svc.endpoints.test(id, 'payment.failed'));
  expect(await svc.endpoints.deliveries(id, { status: 'pending' })).toMatchObject({ data: [{ eventId }] });
  const rotated = orThrow(await svc.endpoints.rotateSecret(id, { overlapSeconds: 60 }));
  expect(rotated.secret).toMatch(/^whsec_/);
  expect(rotated.secret).not.toBe(secret);
  expect(rotated.previousSecretExpiresAt).not.toBeNull();
  expect(await svc.endpoints.delete(id)).toEqual({ ok: true, id, deleted: true });
  expect(await svc.endpoints.get(id)).toMatchObject({
    code: 'not_found',
    httpStatus: 404,
    requestId: expect.stringMatching(/^req_/),
  });
  expect(await svc.endpoints.delete(id)).toMatchObject({ code: 'not_found' });
});

test('a loop over a list meets everything once, page by page', async () => {
  const made: string[] = [];
  for (let times = 0; times < 5; times += 1) made.unshift(orThrow(await svc.endpoints.create(hooks)).endpoint.id);
  const met: string[] = [];
  for await (const { id } of svc.endpoints.each({ limit: 2 })) met.push(id);
  expect(met).toEqual(made);
  for (const id of made) orThrow(await svc.endpoints.delete(id));
  const { paymentIntentId: intentId } = orThrow(await svc.intents.create(order));
  const types: string[] = [];
  for await (const event of svc.events.each({ intentId, createdAfter: new Date(0) })) types.push(event.type);
  expect(types).toEqual(['payment_intent.created']);
});

test('a loop ends with the service’s own error', async () => {
  const walk = async () => {
    for await (const _ of svc.events.each({ limit: 0 })) throw new Error('nothing is there');
  };
  await expect(walk()).rejects.toMatchObject({
    name: 'SvcPayError',
    failure: { code: 'malformed_request', param: 'limit', httpStatus: 400 },
  } satisfies { name: string; failure: Partial<SvcPayError['failure']> });
});

test('an event is found, sent again and made up', async () => {
  const { endpoint } = orThrow(await svc.endpoints.create(hooks));
  const { paymentIntentId } = orThrow(await svc.intents.create(order));
  const page = orThrow(await svc.events.list({ intentId: paymentIntentId, undelivered: true }));
  const { id } = page.data[0]!;
  expect(await svc.events.get(id)).toMatchObject({
    ok: true,
    event: { id, event: { type: 'payment_intent.created' }, deliveries: [{ endpointId: endpoint.id, attempts: [] }] },
  });
  expect(await svc.events.resend(id)).toEqual({ ok: true, deliveries: 1 });
  expect(await svc.events.resend(id, { endpointId: endpoint.id })).toEqual({ ok: true, deliveries: 1 });
  expect(await svc.events.trigger('payment_intent.created')).toMatchObject({ ok: true, deliveries: 1 });
  orThrow(await svc.endpoints.delete(endpoint.id));
});

describe('a recovery', () => {
  const range = { from: new Date('2026-01-01'), to: '2027-01-01T00:00:00Z' };
  const finish = (id: string, status: string, reason: string | null = null) =>
    pool.query('update svc.event_replays set status = $2, reason = $3, finished_at = now() where id = $1', [
      id,
      status,
      reason,
    ]);

  test('is waited for until it is done, or until it has failed', async () => {
    const { endpoint } = orThrow(await svc.endpoints.create(hooks));
    const first = orThrow(await svc.endpoints.recover(endpoint.id, range));
    const waiting = svc.endpoints.waitForRecovery(first.recovery.id);
    await finish(first.recovery.id, 'done');
    expect(await waiting).toMatchObject({ ok: true, recovery: { id: first.recovery.id, status: 'done' } });
    const second = orThrow(await svc.endpoints.recover(endpoint.id, { ...range, only: 'all' }));
    await finish(second.recovery.id, 'failed', 'endpoint_disabled');
    expect(await svc.endpoints.waitForRecovery(second.recovery.id)).toMatchObject({
      ok: false,
      code: 'recovery_failed',
      message: 'endpoint_disabled',
    });
    orThrow(await svc.endpoints.delete(endpoint.id));
  });

  test('goes on when nobody waits any more', async () => {
    const { endpoint } = orThrow(await svc.endpoints.create(hooks));
    const { recovery } = orThrow(await svc.endpoints.recover(endpoint.id, range));
    const waited = await svc.endpoints.waitForRecovery(recovery.id, { signal: AbortSignal.timeout(100) });
    expect(waited).toMatchObject({ ok: false, code: 'aborted', moneyMoved: 'no' });
    orThrow(await svc.endpoints.delete(endpoint.id));
  });
});

describe('whatever the network loses', () => {
  const faults = fc.array(fc.constantFrom<RequestFault>(...REQUEST_FAULTS), { maxLength: 5 });
  const lossy = (planned: readonly RequestFault[]) => {
    const network = lossyFetch(planned);
    return { ...network, client: createSvcPay({ ...options, fetch: network.fetch, wait: async () => {} }) };
  };
  const secretOf = async (id: string) => {
    const { rows } = await pool.query('select secret_ciphertext from svc.endpoints where id = $1', [id]);
    return BOX.open(rows[0].secret_ciphertext, endpointContext(accountId, id, 'endpoint-secret'));
  };
  const reaches = (fault: RequestFault | undefined) => fault !== 'request lost';

  test('a call makes at most one intent, and its repeat under the same key makes no second', async () => {
    await fc.assert(
      fc.asyncProperty(faults, async (planned) => {
        const before = await count('intents');
        const { client, sent, quiet } = lossy(planned);
        const created = await client.intents.create(order);
        await quiet();
        expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
        const reached = sent.some((_, index) => reaches(planned[index]));
        expect(await count('intents')).toBe(before + (reached ? 1 : 0));
        if (created.ok) return;
        expect(created).toMatchObject({ moneyMoved: 'no', retryable: true });
        const { idempotencyKey } = created;
        orThrow(await svc.intents.create(order, { idempotencyKey: idempotencyKey ?? '' }));
        expect(await count('intents')).toBe(before + 1);
      }),
      { numRuns: 40 },
    );
  });

  test('a call makes at most one endpoint, and who gets one gets a secret that is its own', async () => {
    await fc.assert(
      fc.asyncProperty(faults, async (planned) => {
        const before = await count('endpoints');
        const { client, quiet } = lossy(planned);
        const created = await client.endpoints.create(hooks);
        await quiet();
        if (created.ok) {
          expect(created.secret).toBe(await secretOf(created.endpoint.id));
          expect(await count('endpoints')).toBe(before + 1);
          orThrow(await svc.endpoints.delete(created.endpoint.id));
          return;
        }
        const { idempotencyKey } = created;
        const again = orThrow(await svc.endpoints.create(hooks, { idempotencyKey: idempotencyKey ?? '' }));
        expect(await count('endpoints')).toBe(before + 1);
        orThrow(await svc.endpoints.delete(again.endpoint.id));
      }),
      { numRuns: 40 },
    );
  });

  test.each<RequestFault>(['answer lost', 'abandoned', 'proxy answers'])(
    'a deletion is told as one: %s',
    async (fault) => {
      const { endpoint } = orThrow(await svc.endpoints.create(hooks));
      const { client, quiet } = lossy([fault]);
      expect(await client.endpoints.delete(endpoint.id)).toEqual({ ok: true, id: endpoint.id, deleted: true });
      await quiet();
      expect(await svc.endpoints.get(endpoint.id)).toMatchObject({ code: 'not_found' });
    },
  );

  test('a rotation happens once; its secret was in the answer that was lost', async () => {
    const { endpoint } = orThrow(await svc.endpoints.create(hooks));
    const rotated = await lossy(['answer lost']).client.endpoints.rotateSecret(endpoint.id);
    expect(rotated).toMatchObject({ ok: true, secret: null, previousSecretExpiresAt: expect.stringMatching(/T/) });
    const { rows } = await pool.query('select from svc.audit where target = $1 and action like $2', [
      endpoint.id,
      '%rotated%',
    ]);
    expect(rows).toHaveLength(1);
    orThrow(await svc.endpoints.delete(endpoint.id));
  });

  test('an endpoint made under a key of the merchant’s keeps the secret that was shown', async () => {
    const mine = { idempotencyKey: 'deploy-7' };
    const first = orThrow(await svc.endpoints.create(hooks, mine));
    const again = orThrow(await lossy(['answer lost']).client.endpoints.create(hooks, mine));
    expect(again).toEqual({ ...first, secret: null });
    orThrow(await svc.endpoints.delete(first.endpoint.id));
  });
});

test('exports and statements are read', async () => {
  expect(orThrow(await svc.exports.payments()).hasMore).toBe(false);
  expect(orThrow(await svc.exports.ledger()).hasMore).toBe(false);
  expect(orThrow(await svc.exports.statement('2020-02-29')).lines).toEqual([]);
});

test('the figures of a time are read', async () => {
  const range = { from: new Date('2020-02-28T00:00:00Z'), to: new Date('2020-02-29T00:00:00Z') };
  expect(orThrow(await svc.overview({ ...range, interval: 'hour' })).overview).toMatchObject({
    interval: 'hour',
    total: { completed: 0, volumeUsd: '0' },
    points: [],
    failures: [],
  });
  expect(await svc.overview({ from: range.to, to: range.from })).toMatchObject({ code: 'malformed_request' });
});

test('payments, intents and attempts are listed', async () => {
  const made = orThrow(await svc.intents.create(order));
  const intents = orThrow(await svc.intents.list({ limit: 1 }));
  expect(intents.data.map(({ id }) => id)).toEqual([made.paymentIntentId]);
  expect(orThrow(await svc.intents.attempts(made.paymentIntentId)).attempts).toEqual([]);
  // An earlier test shows a header that can't be read.
  const refused = orThrow(await svc.intents.refusedAttempts({ limit: 1 }));
  expect(refused.data).toMatchObject([{ code: 'invalid_payment_header', payer: null }]);
  expect(orThrow(await svc.intents.timeline(made.paymentIntentId)).timeline).toMatchObject({
    why: 'awaits_payer',
    entries: [
      { kind: 'intent_created', offers: [{ tokenShortcode: 'anvil_usdc', amount: '1500000' }] },
      { kind: 'event_written' },
    ],
  });
  expect(orThrow(await svc.payments.list({ intentId: made.paymentIntentId })).data).toEqual([]);
  const missing = await svc.payments.get(newId('payment', Date.now()));
  expect(missing).toMatchObject({ ok: false, code: 'not_found' });
});

test('a payment or a refund that the account does not have is neither accepted nor refunded', async () => {
  const paymentId = newId('payment', Date.now());
  const refundId = newId('refund', Date.now());
  const answers = [
    await svc.payments.accept(paymentId),
    await svc.refunds.create({ paymentId }),
    await svc.refunds.list(paymentId),
    await svc.refunds.get(refundId),
    await svc.refunds.submit(refundId, { signature: `0x${'11'.repeat(65)}` }),
    await svc.refunds.cancel(refundId),
  ];
  for (const answer of answers) expect(answer).toMatchObject({ ok: false, code: 'not_found' });
});

test('more calls at once than the service takes in a second all get through, by waiting as it says', async () => {
  const limits = { SVC_API_RATE_LIMITS: 'on', SVC_API_RATE_TEST: '10', SVC_API_RATE_ADDRESS: '1000' };
  const strict = await startTestApi(limits);
  const network = lossyFetch();
  const client = createSvcPay({
    baseUrl: strict.url,
    secretKey: strict.account.keys.test.secret,
    fetch: network.fetch,
  });
  const results = await Promise.all(Array.from({ length: 25 }, () => client.endpoints.list()));
  expect(results.filter(({ ok }) => !ok)).toEqual([]);
  expect(network.sent.length).toBeGreaterThan(25);
});

afterAll(() => {
  const templates = ROUTES.flatMap((route) =>
    route.access === 'secret' ? [{ name: `${route.method} ${route.path}`, route }] : [],
  );
  const used = (method: string, path: string) =>
    whole.sent.some(
      (call) => call.method === method && new RegExp(`^${path.replaceAll(/\{\w+\}/g, '\\w+')}$`).test(call.path),
    );
  // The library covers every route for a merchant's backend, and this file has called each. Stock sellers and @svc-pay/x402
  // call the facilitator routes.
  const own = templates.filter(({ route }) => !route.path.startsWith('/x402/'));
  expect(own.filter(({ route }) => !used(route.method, route.path)).map(({ name }) => name)).toEqual([]);
});
