import { createHash, randomUUID } from 'node:crypto';
import {
  type Caller,
  type CreateIntentPorts,
  cancelIntent,
  createIntent,
  createIntentCodes,
  createPricing,
  systemClock,
} from '@svc-pay/core';
import { sampleFamily } from '@svc-pay/core/testing';
import { type CreateIntentRequest, webhookEvent } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import { createApiStores } from '../api-stores.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { NETWORKS, seedMerchant } from '../testing/seed-merchant.ts';

const { pool, url } = await createTestDatabase();
const stores = createApiStores(
  { pool, url, ping: async () => {}, close: async () => {} },
  { clock: systemClock, cacheMs: 0 },
);
const ports: CreateIntentPorts = {
  ...stores,
  clock: systemClock,
  families: [sampleFamily()],
  networks: NETWORKS,
  uptoSettles: true,
  facilitatorUrl: null,
  rateOf: createPricing({ clock: systemClock, maxAgeMs: 60_000, feed: async () => undefined }),
  priceLifeMs: 600_000,
  nextIntentCode: createIntentCodes(stores.reserveIntentCodes, 10),
};
const claimOf = (key: string, body = 'body') => ({
  key,
  storedKey: key,
  requestHash: createHash('sha256').update(body).digest(),
});
const create = (
  caller: Caller,
  request: CreateIntentRequest = { usdAmount: '1.5' },
  claim: ReturnType<typeof claimOf> | null = null,
) => createIntent(ports, { caller, request, requestId: 'req_test', claim });
const bodyOf = (created: Awaited<ReturnType<typeof create>>) => {
  if (!created.ok) throw new Error(created.code);
  return JSON.parse(created.answer.body) as { paymentIntentId: Id<'paymentIntent'>; accepts: { network: string }[] };
};
const count = async (table: string, { accountId }: Caller) =>
  Number((await pool.query(`select count(*) from svc.${table} where account_id = $1`, [accountId])).rows[0].count);

test('what a person creates is in the audit record, once for a repeated request, and what programs create is not', async () => {
  const caller = await seedMerchant(pool);
  const entries = async () =>
    (
      await pool.query<{ line: string }>(
        `select action || ' ' || target || ' ' || actor as line from svc.audit
         where account_id = $1 and action = 'intent.created'`,
        [caller.accountId],
      )
    ).rows.map(({ line }) => line);
  await create(caller);
  await create(caller, undefined, claimOf(randomUUID()));
  expect(await entries()).toEqual([]);
  const person = { ...caller, ofPerson: true } as const;
  const claim = claimOf(randomUUID());
  const { paymentIntentId } = bodyOf(await create(person, undefined, claim));
  expect(bodyOf(await create(person, undefined, claim)).paymentIntentId).toBe(paymentIntentId);
  expect(await entries()).toEqual([`intent.created ${paymentIntentId} key:${caller.keyId}`]);
  await create(person, { usdAmount: '2', metadata: { order: 'A-8' } });
  expect(await entries()).toHaveLength(2);
});

describe('a new intent', () => {
  test('is stored with everything it promised, in one commit', async () => {
    const caller = await seedMerchant(pool);
    const { paymentIntentId, accepts } = bodyOf(await create(caller, { usdAmount: 1.5, metadata: { order: 'A-7' } }));
    expect(accepts.map(({ network }) => network)).toEqual(['eip155:84532', 'eip155:31337']);
    const stored = await stores.loadStatus(caller, paymentIntentId);
    expect(stored).toMatchObject({
      intent: { id: paymentIntentId, status: 'requires_payment', amount: 1_500_000n, metadata: { order: 'A-7' } },
      payment: null,
    });
    const acceptances = await pool.query('select body from svc.acceptances where intent_id = $1 order by position', [
      paymentIntentId,
    ]);
    expect(acceptances.rows.map(({ body }) => JSON.parse(body))).toEqual(accepts);
    const codes = await pool.query('select intent_id from svc.intent_codes where intent_code = $1', [
      stored?.intent.intentCode,
    ]);
    expect(codes.rows).toEqual([{ intent_id: paymentIntentId }]);
  });

  test('writes its event, with one delivery per subscribed endpoint and their number in the body', async () => {
    const caller = await seedMerchant(pool);
    const endpoint = (types: string[], status: string) =>
      pool.query(
        `insert into svc.endpoints (account_id, mode, id, url, event_types, status, api_version, created_at, updated_at)
         values ($1, 'test', $2, 'https://shop.example', $3, $4, '2026-11-15', now(), now())`,
        [caller.accountId, randomUUID(), types, status],
      );
    await endpoint(['payment_intent.created'], 'enabled');
    await endpoint(['payment.completed', 'payment_intent.created'], 'enabled');
    await endpoint(['payment.completed'], 'enabled');
    await endpoint(['payment_intent.created'], 'disabled');
    const { paymentIntentId } = bodyOf(await create(caller));
    const { rows } = await pool.query('select body, sequence from svc.events where intent_id = $1', [paymentIntentId]);
    expect(rows).toHaveLength(1);
    const event = JSON.parse(rows[0].body.toString());
    expect(webhookEvent.parse(event)).toEqual(event);
    expect(event).toMatchObject({
      type: 'payment_intent.created',
      pending_webhooks: 2,
      data: { object: { id: paymentIntentId } },
    });
    expect(await count('deliveries', caller)).toBe(2);
    const { rows: marks } = await pool.query('select distinct goes_first from svc.deliveries where account_id = $1', [
      caller.accountId,
    ]);
    expect(marks).toEqual([{ goes_first: false }]);
  });

  test('an account without endpoints has the event all the same', async () => {
    const caller = await seedMerchant(pool);
    await create(caller);
    expect([await count('events', caller), await count('deliveries', caller)]).toEqual([1, 0]);
  });

  test.each([
    [
      'text that a database may choke on',
      { a: '\u0000', b: '\ud800', '": "': "';--", nested: { __proto__: null, x: [1e21] } },
    ],
    ['nothing', {}],
  ])('keeps metadata as it came: %s', async (_, metadata) => {
    const caller = await seedMerchant(pool);
    const { paymentIntentId } = bodyOf(await create(caller, { usdAmount: 1, metadata }));
    expect((await stores.loadStatus(caller, paymentIntentId))?.intent.metadata).toEqual(metadata);
  });
});

describe('an idempotency key', () => {
  test('200 creates at once make one intent and 200 equal answers', async () => {
    const caller = await seedMerchant(pool);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => create(caller, { usdAmount: 3 }, claimOf('burst'))),
    );
    expect(new Set(answers.map((created) => (created.ok ? created.answer.body : created.code))).size).toBe(1);
    expect(answers.filter((created) => created.ok && !created.replayed)).toHaveLength(1);
    for (const table of ['intents', 'intent_codes', 'events', 'idempotency'])
      expect(await count(table, caller)).toBe(1);
  });

  test('with another body is refused, and writes nothing', async () => {
    const caller = await seedMerchant(pool);
    await create(caller, { usdAmount: 1 }, claimOf('once', 'one'));
    expect(await create(caller, { usdAmount: 2 }, claimOf('once', 'two'))).toMatchObject({
      ok: false,
      code: 'idempotency_key_reused',
    });
    expect(await count('intents', caller)).toBe(1);
  });

  test('is answered again although the same intent could not be created any more', async () => {
    const caller = await seedMerchant(pool);
    const first = await create(caller, { usdAmount: 1 }, claimOf('kept'));
    await pool.query('delete from svc.account_tokens where account_id = $1', [caller.accountId]);
    const again = await create(caller, { usdAmount: 1 }, claimOf('kept'));
    expect(again).toMatchObject({ ok: true, replayed: true, answer: first.ok && first.answer });
    expect(await create(caller, { usdAmount: 1 }, claimOf('new'))).toMatchObject({
      ok: false,
      code: 'token_not_enabled',
    });
  });

  test('belongs to its account', async () => {
    const [one, other] = [await seedMerchant(pool), await seedMerchant(pool)];
    const first = bodyOf(await create(one, { usdAmount: 1 }, claimOf('same')));
    const second = bodyOf(await create(other, { usdAmount: 1 }, claimOf('same')));
    expect(first.paymentIntentId).not.toBe(second.paymentIntentId);
  });
});

describe('an intent is invisible', () => {
  test('to another account and to the other mode', async () => {
    const owner = await seedMerchant(pool);
    const { paymentIntentId } = bodyOf(await create(owner));
    expect(await stores.loadStatus(await seedMerchant(pool), paymentIntentId)).toBeUndefined();
    expect(await stores.loadStatus({ ...owner, mode: 'live' }, paymentIntentId)).toBeUndefined();
  });
});

describe('canceling', () => {
  const cancel = (caller: Caller, id: Id<'paymentIntent'>, claim: ReturnType<typeof claimOf> | null = null) =>
    cancelIntent(stores, caller, id, claim, 'req_1');

  test('tells an endpoint that asks for it, once, with the request; without one nothing is written', async () => {
    const caller = await seedMerchant(pool);
    const types = async (id: string) => {
      const text = 'select type, sequence, request_id from svc.events where intent_id = $1 order by sequence';
      return (await pool.query<{ type: string }>(text, [id])).rows;
    };
    const { accountId: account_id } = caller;
    await insertRow(pool, 'endpoints', { account_id, id: newId('endpoint', Date.now()) });
    const silent = bodyOf(await create(caller)).paymentIntentId;
    await cancel(caller, silent);
    expect((await types(silent)).map(({ type }) => type)).toEqual(['payment_intent.created']);
    await insertRow(pool, 'endpoints', {
      account_id,
      id: newId('endpoint', Date.now()),
      event_types: ['payment_intent.canceled'],
    });
    const { paymentIntentId } = bodyOf(await create(caller));
    await Promise.all(Array.from({ length: 5 }, () => cancel(caller, paymentIntentId)));
    expect((await types(paymentIntentId)).slice(1)).toEqual([
      { type: 'payment_intent.canceled', sequence: 2, request_id: 'req_1' },
    ]);
  });

  test('ends an unpaid intent, once, with one audit row', async () => {
    const caller = await seedMerchant(pool);
    const { paymentIntentId } = bodyOf(await create(caller));
    const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(caller, paymentIntentId)));
    for (const answer of answers) expect(answer).toMatchObject({ ok: true, answer: { status: 200 } });
    expect(new Set(answers.map((answer) => answer.ok && answer.answer.body)).size).toBe(1);
    expect((await stores.loadStatus(caller, paymentIntentId))?.intent.status).toBe('canceled');
    expect(await count('audit', caller)).toBe(1);
  });

  test('with a key repeats the stored answer, and refuses the key elsewhere', async () => {
    const caller = await seedMerchant(pool);
    const [one, other] = [bodyOf(await create(caller)), bodyOf(await create(caller))];
    const first = await cancel(caller, one.paymentIntentId, claimOf('cancel', 'one'));
    const again = await cancel(caller, one.paymentIntentId, claimOf('cancel', 'one'));
    expect(first).toMatchObject({ ok: true, replayed: false });
    expect(again).toMatchObject({ ok: true, replayed: true, answer: first.ok && first.answer });
    expect(await cancel(caller, other.paymentIntentId, claimOf('cancel', 'other'))).toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect((await stores.loadStatus(caller, other.paymentIntentId))?.intent.status).toBe('requires_payment');
  });

  test('is refused once somebody pays, and for another account’s intent', async () => {
    const caller = await seedMerchant(pool);
    const { paymentIntentId } = bodyOf(await create(caller));
    await pool.query("update svc.intents set status = 'processing' where id = $1", [paymentIntentId]);
    expect(await cancel(caller, paymentIntentId, claimOf('late'))).toEqual({
      ok: false,
      code: 'intent_not_cancelable',
    });
    expect(await count('idempotency', caller)).toBe(0);
    expect(await cancel(await seedMerchant(pool), paymentIntentId)).toEqual({ ok: false, code: 'not_found' });
  });
});
