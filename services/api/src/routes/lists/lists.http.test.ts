// Lists over a real database, with the rights of the API. Plans and costs: packages/postgres/src/listing/list-plans.test.ts.
import { clientSecretOf } from '@svc-pay/core';
import { declareMetadataKeys } from '@svc-pay/postgres/operator';
import { insertRow } from '@svc-pay/postgres/testing';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { attemptList, attemptPage, listedPayment, paymentIntentList, paymentList } from '@svc-pay/protocol/merchant';
import { createSvcPay } from '@svc-pay/server';
import { describe, expect, test } from 'vitest';
import { CREATE, call } from '../../testing/call.ts';
import { PEPPER, type SeededAccount, seedAccount } from '../../testing/seed-account.ts';
import { startTestApi } from '../../testing/start-test-api.ts';

const api = await startTestApi();
const { pool } = api.database;
const { account } = api;
const key = account.keys.test.secret;
const PAYMENTS = '/sdk/payments';
const INTENTS = '/sdk/payment-intents';
const ATTEMPTS = '/sdk/attempts';
const A = `0x${'a1'.repeat(20)}`;
const B = `0x${'b2'.repeat(20)}`;
let code = 100;
let clock = Date.now() - 600_000;

type Made = { readonly paymentId: string; readonly intentId: string };

/** A payment with its intent, younger than those before. */
async function pay(change: object = {}, of: SeededAccount = account, mode = 'test'): Promise<Made> {
  clock += 1_000;
  const [paymentId, intentId] = [newId('payment', clock), newId('paymentIntent', clock - 500)];
  const tenant = { account_id: of.accountId, mode };
  const paid = { payment_id: paymentId, expires_at: new Date(clock), metadata: '{"order":"1"}' };
  await insertRow(pool, 'intents', { ...tenant, id: intentId, intent_code: (code += 1), ...paid });
  await insertRow(pool, 'payments', { ...tenant, id: paymentId, intent_id: intentId, payer: A, ...change });
  return { paymentId, intentId };
}

const list = async (path: string, query: Readonly<Record<string, string>> = {}, as: string = key) => {
  const answer = await call(api, 'GET', `${path}?${new URLSearchParams(query).toString()}`, { key: as });
  return { status: answer.statusCode, ...answer.json() };
};
const ids = ({ data }: { data: readonly { id: string }[] }) => data.map(({ id }) => id);
const done = { status: 'completed', completed_at: new Date(), paid_amount: '1000000' };

describe('pages', async () => {
  const seller = await seedAccount(pool);
  const secret = seller.keys.test.secret;
  const made: string[] = [];
  for (let each = 0; each < 12; each += 1) made.push((await pay({}, seller)).paymentId);
  const newestFirst = made.toReversed();

  test('go through every payment once, newest first, and back again', async () => {
    const seen: string[] = [];
    let page = await list(PAYMENTS, { limit: '5' }, secret);
    expect(paymentList.parse(page).data).toHaveLength(5);
    seen.push(...ids(page));
    while (page.nextCursor !== null) {
      page = await list(PAYMENTS, { limit: '5', after: page.nextCursor }, secret);
      seen.push(...ids(page));
    }
    expect(seen).toEqual(newestFirst);
    expect(page).toMatchObject({ hasMore: false });
    const back = await list(PAYMENTS, { limit: '5', before: page.previousCursor }, secret);
    expect(ids(back)).toEqual(newestFirst.slice(5, 10));
    expect(back.hasMore).toBe(true);
    const front = await list(PAYMENTS, { limit: '5', before: back.previousCursor }, secret);
    expect(ids(front)).toEqual(newestFirst.slice(0, 5));
    expect(front.hasMore).toBe(false);
  });

  test('do not move while payments are written and change, and `before` finds those that were added', async () => {
    const first = await list(PAYMENTS, { limit: '4' }, secret);
    const added = [(await pay({}, seller)).paymentId, (await pay({}, seller)).paymentId];
    await pool.query("update svc.payments set status = 'failed', failure_code = 'x' where id = $1", [newestFirst[5]]);
    const second = await list(PAYMENTS, { limit: '4', after: first.nextCursor }, secret);
    expect(ids(second)).toEqual(newestFirst.slice(4, 8));
    const newer = await list(PAYMENTS, { before: first.previousCursor }, secret);
    expect(ids(newer)).toEqual(added.toReversed());
    const none = await list(PAYMENTS, { before: newer.previousCursor }, secret);
    expect(none.data).toEqual([]);
    const older = await list(PAYMENTS, { limit: '3', after: none.nextCursor }, secret);
    expect(ids(older)).toEqual([added[1], added[0], newestFirst[0]]);
  });

  test('an empty list has no cursors, and an empty end goes back to its last item', async () => {
    const empty = await seedAccount(pool);
    expect(await list(PAYMENTS, {}, empty.keys.test.secret)).toEqual({
      status: 200,
      data: [],
      hasMore: false,
      nextCursor: null,
      previousCursor: null,
    });
    const range = { createdAfter: '2001-01-01T00:00:00Z' };
    const last = await list(PAYMENTS, { ...range, limit: '100' }, secret);
    expect(last.nextCursor).toBeNull();
    expect(ids(last).at(-1)).toBe(newestFirst.at(-1));
  });

  test('the server library lists all of them in one loop, and reads one', async () => {
    const svc = createSvcPay({ baseUrl: api.url, secretKey: secret });
    const seen: string[] = [];
    for await (const { id } of svc.payments.each({ limit: 5 })) seen.push(id);
    expect(seen).toHaveLength(14);
    expect(new Set(seen)).toEqual(new Set([...seen, ...made]));
    const one = await svc.payments.get(made[3] ?? '');
    expect(one).toMatchObject({ ok: true, payment: { id: made[3] } });
    let intents = 0;
    for await (const _ of svc.intents.each({ limit: 4 })) intents += 1;
    expect(intents).toBe(14);
    expect(await svc.payments.list({ after: 'x' })).toMatchObject({
      ok: false,
      code: 'cursor_invalid',
      param: 'after',
    });
  });
});

describe('cursors', async () => {
  const [seller, other] = [await seedAccount(pool), await seedAccount(pool)];
  for (const of of [seller, other]) for (let each = 0; each < 3; each += 1) await pay({}, of);
  await pay({}, seller, 'live');
  await pay({}, seller, 'live');
  const secret = seller.keys.test.secret;
  const { nextCursor: mine } = await list(PAYMENTS, { limit: '1' }, secret);
  const { nextCursor: theirs } = await list(PAYMENTS, { limit: '1' }, other.keys.test.secret);
  const { nextCursor: live } = await list(PAYMENTS, { limit: '1' }, seller.keys.live.secret);
  const { nextCursor: filtered } = await list(PAYMENTS, { limit: '1', payer: A }, secret);
  const { nextCursor: ofIntents } = await list(INTENTS, { limit: '1' }, secret);
  const text = (cursor: string) => Buffer.from(cursor, 'base64url').toString();
  const moved = Buffer.from(text(mine).replace(/_./, '_7')).toString('base64url');

  test('the own one works, also with another limit', async () => {
    expect(await list(PAYMENTS, { after: mine, limit: '2' }, secret)).toMatchObject({ status: 200, hasMore: false });
  });

  test.each([
    ['of another account', theirs],
    ['of the other mode', live],
    ['of another filter', filtered],
    ['of another list', ofIntents],
    ['moved elsewhere', moved],
    ['made up', Buffer.from(`${newId('payment', Date.now())}.AAAAAAAAAAAAAAAA`).toString('base64url')],
    ['an id', newId('payment', Date.now())],
    ['empty', ''],
    ['long', 'A'.repeat(5_000)],
    ['quotes', "' or 1=1 --"],
  ])('one that is %s is refused', async (_, cursor) => {
    for (const param of ['after', 'before']) {
      expect(await list(PAYMENTS, { [param]: cursor }, secret)).toMatchObject({
        status: 400,
        error: 'cursor_invalid',
        param,
      });
    }
  });

  test('two at once are refused', async () => {
    expect(await list(PAYMENTS, { after: mine, before: mine }, secret)).toMatchObject({
      status: 400,
      error: 'malformed_request',
    });
  });
});

describe('filters', async () => {
  const seller = await seedAccount(pool);
  const secret = seller.keys.test.secret;
  const hash = `0x${'c3'.repeat(32)}`;
  const plain = await pay({}, seller);
  const failed = await pay({ status: 'failed', failure_code: 'token_refused', payer: B }, seller);
  const elsewhere = await pay({ network: 'eip155:31337', token_shortcode: 'anvil_usdc' }, seller);
  const paid = await pay({ ...done, transaction_id: hash }, seller);
  const solana = await pay({ network: 'solana:devnet', token_shortcode: 'soldevnet_usdc', payer: 'So1ana' }, seller);

  test.each([
    ['a status', { status: 'failed' }, [failed]],
    ['a chain', { chain: 'eip155:31337' }, [elsewhere]],
    ['a chain by its CAIP-2 name', { chain: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }, [solana]],
    ['a token', { token: 'anvil_usdc' }, [elsewhere]],
    ['a token with its chain', { token: 'anvil_usdc', chain: 'eip155:31337' }, [elsewhere]],
    ['a token with a chain that it is not on', { token: 'anvil_usdc', chain: 'eip155:84532' }, []],
    ['a payer in any letter case', { payer: B.toUpperCase().replace('0X', '0x') }, [failed]],
    ['a payer of a chain that minds letter case', { payer: 'so1ana' }, []],
    ['a transaction', { transactionId: hash }, [paid]],
    ['a transaction and a status', { transactionId: hash, status: 'failed' }, []],
    ['an intent', { intentId: plain.intentId }, [plain]],
    [
      'an intent with everything',
      { intentId: failed.intentId, status: 'failed', payer: B, token: 'basesepolia_usdc' },
      [failed],
    ],
    ['an intent with another payer', { intentId: failed.intentId, payer: A }, []],
    ['what can be no intent', { intentId: 'pi_%' }, []],
    ['a wildcard', { payer: '%' }, []],
    ['another wildcard', { token: '*' }, []],
    [
      'a range of all times',
      { createdAfter: '0001-01-01T00:00:00Z', createdBefore: '9999-12-31T23:59:59Z' },
      [solana, paid, elsewhere, failed, plain],
    ],
    ['a range that is over', { createdBefore: '2001-01-01T00:00:00Z' }, []],
    ['a range to come', { createdAfter: '9001-01-01T00:00:00Z' }, []],
  ])('%s', async (_, query, expected: readonly Made[]) => {
    expect(ids(await list(PAYMENTS, query as Record<string, string>, secret))).toEqual(
      expected.map(({ paymentId }) => paymentId),
    );
  });

  test.each([
    { status: 'failed', payer: B },
    { status: 'failed', chain: 'eip155:84532' },
    { payer: A, token: 'anvil_usdc' },
  ])('%o have no index in common, and the sentence names what works', async (query) => {
    const answer = await list(PAYMENTS, query, secret);
    expect(answer).toMatchObject({ status: 422, error: 'filters_not_combinable' });
    expect(answer.message).toContain('one of status, chain, token, payer and metadata');
  });

  test.each([
    ['payer', 'a\0b'],
    ['payer', 'x'.repeat(151)],
    ['token', 'ü'],
    ['chain', 'nowhere'],
    ['metadata', 'order'],
    ['metadata', 'order:a\0b'],
    ['metadata', 'svc_x:1'],
    ['createdAfter', 'yesterday'],
    ['limit', '101'],
    ['limit', '0'],
    ['status', 'completed,failed'],
    ['expand', 'everything'],
    ['colour', 'red'],
  ])('%s=%s is refused by its name', async (param, value) => {
    expect(await list(PAYMENTS, { [param]: value }, secret)).toMatchObject({
      status: 400,
      error: 'malformed_request',
      param,
    });
  });

  test('a range that ends before it begins is refused', async () => {
    const range = { createdAfter: '2026-01-02T00:00:00Z', createdBefore: '2026-01-01T00:00:00Z' };
    expect(await list(PAYMENTS, range, secret)).toMatchObject({ status: 422, error: 'time_range_invalid' });
  });

  test('a repeated parameter is refused', async () => {
    const answer = await call(api, 'GET', `${PAYMENTS}?payer=${A}&payer=${B}`, { key: secret });
    expect(answer.json()).toMatchObject({ error: 'malformed_request', param: 'payer' });
  });

  test('intents are listed by status, with their payments if asked', async () => {
    const page = await list(INTENTS, { status: 'requires_payment', expand: 'payment', limit: '2' }, secret);
    expect(paymentIntentList.parse(page).data.map(({ id, payment }) => [id, payment?.id])).toEqual([
      [solana.intentId, solana.paymentId],
      [paid.intentId, paid.paymentId],
    ]);
    expect((await list(INTENTS, { status: 'canceled' }, secret)).data).toEqual([]);
    const [intent] = (await list(INTENTS, {}, secret)).data;
    expect(intent).not.toHaveProperty('payment');
  });

  test('a payment is read by its id, with what the server wrote', async () => {
    const answer = await call(api, 'GET', `${PAYMENTS}/${paid.paymentId}`, { key: secret });
    expect(listedPayment.parse(answer.json())).toMatchObject({
      id: paid.paymentId,
      metadata: { order: '1' },
      paymentIntent: { id: paid.intentId },
    });
    const expanded = await list(PAYMENTS, { intentId: paid.intentId, expand: 'intent' }, secret);
    expect(expanded.data[0]).toEqual(answer.json());
    for (const id of ['pay_1', newId('payment', Date.now()), '%25']) {
      expect(await list(`${PAYMENTS}/${id}`, {}, secret)).toMatchObject({ status: 404, error: 'not_found' });
    }
  });
});

test('no other key and no client secret opens a list', async () => {
  const { paymentId, intentId } = await pay();
  const owner = { accountId: account.accountId as Id<'account'>, mode: 'test' } as const;
  const secretOfIntent = clientSecretOf(PEPPER, owner, intentId as Id<'paymentIntent'>);
  for (const path of [PAYMENTS, INTENTS, ATTEMPTS, `${PAYMENTS}/${paymentId}`, `${INTENTS}/${intentId}/attempts`]) {
    expect(await list(path, {}, account.keys.test.publishable)).toMatchObject({
      status: 403,
      error: 'key_kind_not_allowed',
    });
    expect(await list(path, {}, secretOfIntent)).toMatchObject({ status: 403, error: 'client_secret_not_allowed' });
    const inQuery = await call(api, 'GET', `${path}?publishableKey=${account.keys.test.publishable}`);
    expect(inQuery.statusCode).toBe(401);
  }
});

test('attempts name code, sentence and payer of what was refused, for the owner alone', async () => {
  const { intentId } = await pay();
  const tenant = { account_id: account.accountId, mode: 'test', intent_id: intentId };
  const attempts = ['invalid_signature', 'insufficient_funds'].map((refusal, index) => ({
    ...tenant,
    id: newId('attempt', clock + index),
    code: refusal,
    payer: B,
  }));
  for (const row of attempts) await insertRow(pool, 'attempts', row);
  const page = await list(`${INTENTS}/${intentId}/attempts`);
  expect(attemptList.parse(page).data).toMatchObject([
    { code: 'insufficient_funds', payer: B, paymentIntentId: intentId, message: expect.stringContaining('token') },
    { code: 'invalid_signature' },
  ]);
  const other = await seedAccount(pool);
  for (const as of [other.keys.test.secret, account.keys.live.secret]) {
    expect(await list(`${INTENTS}/${intentId}/attempts`, {}, as)).toMatchObject({ status: 404, error: 'not_found' });
  }
});

test('refused attempts of all intents are listed newest first in pages, for the owner and the mode alone', async () => {
  const seller = await seedAccount(pool);
  const secret = seller.keys.test.secret;
  const made: string[] = [];
  const refuse = async (mode: string, of = seller) => {
    const { intentId } = await pay({}, of, mode);
    const id = newId('attempt', clock);
    const refusal = { intent_id: intentId, code: 'insufficient_funds', payer: B, created_at: new Date(clock) };
    await insertRow(pool, 'attempts', { account_id: of.accountId, mode, id, ...refusal });
    return { id, intentId };
  };
  for (let each = 0; each < 5; each += 1) made.push((await refuse('test')).id);
  const newest = await refuse('test');
  const newestFirst = [newest.id, ...made.toReversed()];
  const live = await refuse('live');
  await refuse('test', account);
  const first = await list(ATTEMPTS, { limit: '4' }, secret);
  expect(attemptPage.parse(first).data[0]).toEqual({
    id: newest.id,
    paymentIntentId: newest.intentId,
    code: 'insufficient_funds',
    message: expect.stringContaining('token'),
    payer: B,
    createdAt: new Date(clock - 2_000).toISOString(),
  });
  const second = await list(ATTEMPTS, { limit: '4', after: first.nextCursor }, secret);
  expect([...ids(first), ...ids(second)]).toEqual(newestFirst);
  expect(second.nextCursor).toBeNull();
  expect(ids(await list(ATTEMPTS, { before: second.previousCursor }, secret))).toEqual(newestFirst.slice(0, 4));
  const range = { createdBefore: new Date(clock - 2_500).toISOString() };
  expect(ids(await list(ATTEMPTS, range, secret))).toEqual(newestFirst.slice(1));
  expect(ids(await list(ATTEMPTS, {}, seller.keys.live.secret))).toEqual([live.id]);
  expect(await list(ATTEMPTS, { after: first.nextCursor }, seller.keys.live.secret)).toMatchObject({
    error: 'cursor_invalid',
  });
  expect(await list(PAYMENTS, { after: first.nextCursor }, secret)).toMatchObject({ error: 'cursor_invalid' });
});

describe('metadata', async () => {
  const seller = await seedAccount(pool);
  const secret = seller.keys.test.secret;
  const create = async (metadata: object, headers = {}, as: string = secret) =>
    (
      await call(api, 'POST', CREATE, { key: as, headers, body: { usdAmount: 1, token: 'basesepolia_usdc', metadata } })
    ).json().paymentIntentId as string;
  const stored = async (of: SeededAccount) =>
    (await pool.query('select intent_id from svc.intent_metadata where account_id = $1', [of.accountId])).rows.length;
  const declare = (of: SeededAccount, ...keys: string[]) =>
    declareMetadataKeys({ pool, nowMs: Date.now(), actor: 'test' }, of.accountId, 'test', keys);

  test('is found from the declaration on, and by declared keys alone', async () => {
    await create({ order: '7' });
    expect(await stored(seller)).toBe(0);
    expect(await list(INTENTS, { metadata: 'order:7' }, secret)).toMatchObject({
      status: 422,
      error: 'metadata_key_not_declared',
      param: 'metadata',
    });
    await declare(seller, 'order', 'paid');
    const [one, two, three] = [
      await create({ order: '7', note: 'x' }),
      await create({ order: 7 }, { 'idempotency-key': 'k-1' }),
      await create({ order: '8', paid: true, nested: { order: '7' } }),
    ];
    await create({ order: { deep: 1 }, paid: null });
    expect(await stored(seller)).toBe(4);
    const found = await list(INTENTS, { metadata: 'order:7' }, secret);
    expect(ids(found)).toEqual([two, one]);
    expect(Date.parse(found.metadataSince)).toBeGreaterThan(Date.now() - 60_000);
    expect(ids(await list(INTENTS, { metadata: 'paid:true' }, secret))).toEqual([three]);
    expect(ids(await list(INTENTS, { metadata: 'order:%' }, secret))).toEqual([]);
    expect(await list(INTENTS, { metadata: 'note:x' }, secret)).toMatchObject({ error: 'metadata_key_not_declared' });
    expect(await list(INTENTS, { metadata: 'order:7', status: 'canceled' }, secret)).toMatchObject({
      error: 'filters_not_combinable',
    });
    const { paymentId } = await pay({}, seller);
    await pool.query('update svc.intents set payment_id = $1 where id = $2', [paymentId, one]);
    expect(ids(await list(PAYMENTS, { metadata: 'order:7' }, secret))).toEqual([paymentId]);
    expect(await list(PAYMENTS, { metadata: 'order:7', payer: A }, secret)).toMatchObject({
      error: 'filters_not_combinable',
    });
  });

  test('a repeated create finds nothing twice, and another account with the same order finds its own', async () => {
    await declare(seller, 'order');
    const first = await create({ order: 'r' }, { 'idempotency-key': 'k-2' });
    expect(await create({ order: 'r' }, { 'idempotency-key': 'k-2' })).toBe(first);
    const other = await seedAccount(pool);
    await declare(other, 'order');
    const theirs = await create({ order: 'r' }, {}, other.keys.test.secret);
    expect(ids(await list(INTENTS, { metadata: 'order:r' }, secret))).toEqual([first]);
    expect(ids(await list(INTENTS, { metadata: 'order:r' }, other.keys.test.secret))).toEqual([theirs]);
  });

  test('leaves with its intent', async () => {
    await declare(seller, 'order');
    const id = await create({ order: 'gone' });
    const before = await stored(seller);
    await pool.query('delete from svc.intents where id = $1', [id]);
    expect(await stored(seller)).toBe(before - 1);
  });
});
