// What the client secret of an intent may do in the place of an API key. Generated from the OpenAPI document: a new route
// refuses it, or is named here.
import { clientSecretOf } from '@svc-pay/core';
import type { Acceptance } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CREATE, call, cancelPath, intentPath, NOTIFY, SETTLE, UPTO_CONFIRM } from '../testing/call.ts';
import { fillRequest, type Ids, type Operation, operationsOf } from '../testing/fill-request.ts';
import { USDC } from '../testing/payment-chain.ts';
import { playCompletion, playFailure, TRANSACTION } from '../testing/play-settlement.ts';
import { readEvents } from '../testing/read-events.ts';
import { PEPPER, seedAccount } from '../testing/seed-account.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { startPayableApi } from '../testing/start-payable-api.ts';

let skippedMs = 0;
const clock = { nowMs: () => Date.now() + skippedMs };
const api = await startPayableApi({ SVC_API_STREAM_LIFE_MS: '100', SVC_SETTLE_WAIT_MS: '2500' }, clock);
const { pool } = api.database;
const { keys, accountId } = api.account;
const PRIVATE = { buyer: 'ada@example.com' };

type Created = { readonly paymentIntentId: string; readonly clientSecret: string; readonly accepts: readonly object[] };

const create = (key: string, body: object = {}, headers: Record<string, string> = {}) =>
  call(api, 'POST', CREATE, {
    key,
    headers,
    body: { usdAmount: '1.5', tokenShortcode: 'anvil_usdc', metadata: PRIVATE, ...body },
  });
const created = async (body: object = {}): Promise<Created> => (await create(keys.test.secret, body)).json();
const offerPath = (id: string) => `${intentPath(id)}/x402`;
const statusAnd = (response: Awaited<ReturnType<typeof call>>) => [response.statusCode, response.json().error];

describe('the answer that creates an intent', () => {
  test.each([
    [402, {}],
    [200, { tokenShortcode: 'soldevnet_usdc' }],
  ])('has the client secret as its last field for a secret key, in a %i', async (status, body) => {
    const response = await create(keys.test.secret, body);
    expect(response.statusCode).toBe(status);
    const { paymentIntentId, clientSecret } = response.json();
    expect(Object.keys(response.json()).at(-1)).toBe('clientSecret');
    const owner = { accountId: accountId as Id<'account'>, mode: 'test' } as const;
    expect(clientSecret).toBe(clientSecretOf(PEPPER, owner, paymentIntentId));
    expect((await call(api, 'GET', intentPath(paymentIntentId), { key: clientSecret })).statusCode).toBe(200);
  });

  test('has none for a publishable key', async () => {
    const response = await create(keys.test.publishable);
    expect(response.statusCode).toBe(402);
    expect(response.json()).not.toHaveProperty('clientSecret');
  });

  test('has the same one when it is repeated, also after the intent is canceled, and is stored without it', async () => {
    const once = { 'idempotency-key': 'order-7' };
    const first = await create(keys.test.secret, {}, once);
    const { paymentIntentId, clientSecret } = first.json();
    const again = await create(keys.test.secret, {}, once);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toBe(first.body);
    await call(api, 'POST', cancelPath(paymentIntentId), { key: keys.test.secret });
    expect((await create(keys.test.secret, {}, once)).body).toBe(first.body);
    const { rows } = await pool.query('select * from svc.idempotency');
    const stored = rows.flatMap((row) => Object.values(row)).map((value) => String(value));
    expect(stored.some((text) => text.includes(paymentIntentId))).toBe(true);
    expect(stored.join('\n')).not.toContain(clientSecret.slice(-22));
  });
});

const operations = operationsOf((await call(api, 'GET', '/openapi.json')).json());
const keyed = operations.filter(({ operation }) => operation.security.length > 0);
const takesSecret = ({ operation }: Operation) => operation.security.some((one) => 'clientSecret' in one);

const mine = await created();
const other = await created();
const idsOf = (intentId: string): Ids => ({
  intentId,
  endpointId: newId('endpoint', Date.now()),
  eventId: newId('event', Date.now()),
  paymentId: newId('payment', Date.now()),
  recoveryId: newId('replay', Date.now()),
  refundId: newId('refund', Date.now()),
});
const send = ({ method, path, operation }: Operation, intentId: string, key: string) => {
  const { url, body } = fillRequest(path, operation, idsOf(intentId));
  return call(api, method, url, { key, headers: { 'x-account-id': accountId }, ...(body !== undefined && { body }) });
};

test('payers’ routes take it, and no other', () => {
  expect(
    keyed
      .filter(takesSecret)
      .map(({ operation }) => operation.operationId)
      .sort(),
  ).toEqual([
    'confirmUpto',
    'getIntent',
    'getIntentOffer',
    'getRegularOffer',
    'notifyPayment',
    'preparePayment',
    'relayPayment',
    'settlePayment',
    'signablePayment',
    'streamIntent',
  ]);
});

describe.each(keyed.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
  if (!takesSecret(route)) {
    test('refuses it for its own intent too, and says where to call from', async () => {
      expect(statusAnd(await send(route, mine.paymentIntentId, mine.clientSecret))).toEqual([
        403,
        'client_secret_not_allowed',
      ]);
    });
    return;
  }

  test('takes it for its own intent', async () => {
    const response = await send(route, mine.paymentIntentId, mine.clientSecret);
    expect([200, 402, 422]).toContain(response.statusCode);
    expect(response.body).not.toContain(PRIVATE.buyer);
  });

  test('refuses it for every other intent, and says nothing about that one', async () => {
    const nobodys = newId('paymentIntent', Date.now());
    for (const id of [other.paymentIntentId, nobodys, 'nothing']) {
      const response = await send(route, id, mine.clientSecret);
      expect(statusAnd(response)).toEqual([401, 'client_secret_invalid']);
      expect(response.json()).toMatchObject({ param: null });
    }
  });

  test('refuses a secret that was changed, is of the other mode, of another account, or made with another pepper', async () => {
    const { paymentIntentId: id, clientSecret } = mine;
    const stranger = (await seedAccount(pool)).accountId as Id<'account'>;
    const owner = { accountId: accountId as Id<'account'>, mode: 'test' } as const;
    const forged = [
      `${clientSecret.slice(0, -1)}${clientSecret.endsWith('A') ? 'Q' : 'A'}`,
      clientSecret.replace(/^test/, 'live'),
      clientSecret.replace(accountId, stranger),
      clientSecretOf(new Uint8Array(32), owner, id as Id<'paymentIntent'>),
    ];
    for (const secret of forged) {
      const { method, path, operation } = route;
      const { url, body } = fillRequest(path, operation, idsOf(id));
      const response = await call(api, method, url, { key: secret, ...(body !== undefined && { body }) });
      expect(statusAnd(response)).toEqual([401, 'client_secret_invalid']);
      expect(response.body).not.toContain(accountId);
    }
  });
});

test('all of this changed nothing', async () => {
  for (const { paymentIntentId } of [mine, other]) {
    const { paymentIntent, payment } = (
      await call(api, 'GET', intentPath(paymentIntentId), { key: keys.test.secret })
    ).json();
    expect([paymentIntent.status, payment]).toEqual(['requires_payment', null]);
  }
});

describe('the secret', () => {
  test('is taken from the header alone', async () => {
    const url = `${intentPath(mine.paymentIntentId)}?client_secret=${mine.clientSecret}`;
    expect((await call(api, 'GET', url)).statusCode).toBe(401);
    const inQuery = `${intentPath(mine.paymentIntentId)}?publishableKey=${mine.clientSecret}`;
    expect((await call(api, 'GET', inQuery)).statusCode).toBe(403);
  });

  test('needs an intent to be named, and no other account beside it', async () => {
    const unnamed = await call(api, 'POST', SETTLE, { key: mine.clientSecret, body: { paymentHeader: 'e30=' } });
    expect([unnamed.statusCode, unnamed.json()]).toMatchObject([400, { param: 'paymentIntentId' }]);
    const response = await call(api, 'GET', intentPath(mine.paymentIntentId), {
      key: mine.clientSecret,
      headers: { 'x-account-id': newId('account', Date.now()) },
    });
    expect(statusAnd(response)).toEqual([403, 'account_mismatch']);
  });

  test('that is refused leaves open what became of a header that was sent before', async () => {
    const body = { paymentIntentId: mine.paymentIntentId, paymentHeader: 'e30=' };
    for (const path of [SETTLE, UPTO_CONFIRM]) {
      const response = await call(api, 'POST', path, { key: other.clientSecret, body });
      expect(response.json()).toMatchObject({ error: 'client_secret_invalid', moneyMoved: 'unknown' });
    }
  });

  test('ends 30 days after its intent was created', async () => {
    onTestFinished(() => {
      skippedMs = 0;
    });
    const ask = () => call(api, 'GET', intentPath(mine.paymentIntentId), { key: mine.clientSecret });
    skippedMs = 30 * 86_400_000 - 120_000;
    expect((await ask()).statusCode).toBe(200);
    skippedMs += 240_000;
    expect(statusAnd(await ask())).toEqual([401, 'client_secret_invalid']);
  });

  test('shows nothing that the server wrote: in the status, the stream, settle and confirm', async () => {
    const upto = await created({ x402Upto: true });
    const body = { paymentIntentId: upto.paymentIntentId, paymentHeader: 'e30=' };
    const key = upto.clientSecret;
    const answers = [
      await call(api, 'GET', intentPath(upto.paymentIntentId), { key }),
      await call(api, 'POST', SETTLE, { key, body }),
      await call(api, 'POST', UPTO_CONFIRM, { key, body }),
    ];
    for (const answer of answers)
      expect(answer.json().paymentIntent).toMatchObject({ id: upto.paymentIntentId, metadata: {} });
    const stream = await readEvents(`${api.url}${intentPath(upto.paymentIntentId)}/stream`, {
      authorization: `Bearer ${key}`,
    });
    onTestFinished(stream.close);
    const first = await stream.next();
    expect(first?.data).toContain(upto.paymentIntentId);
    expect(first?.data).not.toContain(PRIVATE.buyer);
  });

  test('sees of its intent, byte for byte, what a publishable key sees', async () => {
    const { paymentIntentId, clientSecret } = await created({
      description: 'tea',
      metadata: { ...PRIVATE, note: 'vip' },
    });
    for (const path of [intentPath(paymentIntentId), offerPath(paymentIntentId)]) {
      const [shown, toKey, toServer] = await Promise.all(
        [clientSecret, keys.test.publishable, keys.test.secret].map((key) => call(api, 'GET', path, { key })),
      );
      expect(shown?.body).toBe(toKey?.body);
      expect(shown?.body).not.toMatch(/ada@example|vip/);
      if (path === intentPath(paymentIntentId)) expect(toServer?.body).toMatch(/ada@example.*vip/);
    }
  });

  test('settles no other intent by a header that was signed for it, nor by an acceptance that names it', async () => {
    const payer = newPayer();
    await api.chain.mint(USDC, payer.address, 10n ** 9n);
    const theirs = await created();
    const [acceptance] = theirs.accepts as [
      Parameters<typeof signHeader>[1] & { extra: { svc: { boundNonce: string } } },
    ];
    const nonce = acceptance.extra.svc.boundNonce as `0x${string}`;
    const paymentHeader = await signHeader(payer, acceptance, { nonce, primaryType: 'ReceiveWithAuthorization' });
    const own = await created();
    const { paymentIntentId, clientSecret: key } = own;
    const body = { paymentIntentId, paymentHeader, paymentRequirements: acceptance };
    const answer = await call(api, 'POST', SETTLE, { key, body });
    expect(answer.json()).toMatchObject({ status: 'failed' });
    // Of a body that names two intents the last one counts, for the secret and for the settlement alike.
    const twice = JSON.stringify(body).replace('{', `{"paymentIntentId":"${paymentIntentId}",`);
    const named = twice.replace(/(.*)"paymentIntentId":"\w+"/, `$1"paymentIntentId":"${theirs.paymentIntentId}"`);
    const raw = await fetch(`${api.url}${SETTLE}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: named,
    });
    expect([400, 401]).toContain(raw.status);
    const { rows } = await pool.query('select 1 from svc.payments where intent_id = any ($1)', [
      [paymentIntentId, theirs.paymentIntentId],
    ]);
    expect(rows).toEqual([]);
  });

  test('of a closed account opens nothing', async () => {
    const closed = await seedAccount(pool);
    const response = await call(api, 'POST', CREATE, { key: closed.keys.test.secret, body: { usdAmount: 1 } });
    const { paymentIntentId, clientSecret } = response.json();
    await pool.query(`update svc.accounts set status = 'closed' where id = $1`, [closed.accountId]);
    const read = await call(api, 'GET', intentPath(paymentIntentId), { key: clientSecret });
    expect(statusAnd(read)).toEqual([401, 'client_secret_invalid']);
  });
});

describe('what may be signed for an intent', () => {
  const offer = ({ paymentIntentId, clientSecret }: Created) =>
    call(api, 'GET', offerPath(paymentIntentId), { key: clientSecret });

  test('is what its creator was answered, field by field', async () => {
    const response = await create(keys.test.secret, { tokenShortcode: undefined, symbol: 'USDC' });
    const { clientSecret, ...required } = response.json();
    const again = await offer({ ...required, clientSecret });
    expect(again.statusCode).toBe(402);
    expect(again.headers['cache-control']).toBe('no-store');
    expect(again.json()).toEqual(required);
    expect(again.json().accepts[0].extra.svc).toBeDefined();
  });

  test('is nothing where no signature pays it, and the answer says so', async () => {
    const response = await offer(await created({ tokenShortcode: 'soldevnet_usdc' }));
    expect([response.statusCode, response.json()]).toMatchObject([
      402,
      { accepts: [], error: 'x402_not_available_for_token' },
    ]);
  });

  test('is nothing once the intent is canceled or has expired: then the answer is how it stands', async () => {
    onTestFinished(() => {
      skippedMs = 0;
    });
    const canceled = await created();
    await call(api, 'POST', cancelPath(canceled.paymentIntentId), { key: keys.test.secret });
    const shown = await offer(canceled);
    expect([shown.statusCode, shown.json().paymentIntent]).toMatchObject([200, { status: 'canceled', metadata: {} }]);
    const expired = await created();
    skippedMs = 2 * 86_400_000;
    const late = await offer(expired);
    expect([late.statusCode, late.json().paymentIntent]).toMatchObject([200, { status: 'requires_payment' }]);
  });

  test('leaves out what settle would refuse because its payout is withdrawn', async () => {
    const { keys: own, accountId: owner } = await seedAccount(pool);
    const intent: Created = (await create(own.test.secret, { tokenShortcode: undefined, symbol: 'USDC' })).json();
    const networks = async () => (await offer(intent)).json().accepts?.map(({ network }: Acceptance) => network);
    const withdraw = (network: string) =>
      pool.query(`update svc.payouts set status = 'pending' where account_id = $1 and network = $2`, [owner, network]);
    expect(await networks()).toEqual(['eip155:84532', 'eip155:31337']);
    await withdraw('eip155:84532');
    expect(await networks()).toEqual(['eip155:31337']);
    const url = `/pay/${intent.paymentIntentId}?client_secret=${intent.clientSecret}`;
    const { accepts } = (await call(api, 'GET', url)).json();
    expect(accepts).toEqual([]);
    await withdraw('eip155:31337');
    expect((await offer(intent)).statusCode).toBe(200);
  });

  test('is paid with the secret alone, and shown as paid to it afterwards', async () => {
    const payer = newPayer();
    await api.chain.mint(USDC, payer.address, 10n ** 9n);
    const intent = await created();
    const { paymentIntentId, clientSecret: key } = intent;
    const [acceptance] = (await offer(intent)).json().accepts;
    const paymentHeader = await signHeader(payer, acceptance);
    const body = { paymentIntentId, paymentHeader, paymentRequirements: acceptance };
    // Another intent's secret does not settle it.
    expect((await call(api, 'POST', SETTLE, { key: other.clientSecret, body })).statusCode).toBe(401);
    const settling = call(api, 'POST', SETTLE, { key, body });
    await vi.waitFor(
      async () => {
        const { rows } = await pool.query('select 1 from svc.payments where intent_id = $1', [paymentIntentId]);
        expect(rows).toHaveLength(1);
      },
      { timeout: 5_000, interval: 20 },
    );
    const meanwhile = await offer(intent);
    expect([meanwhile.statusCode, meanwhile.json().paymentIntent.status]).toEqual([200, 'processing']);
    await playCompletion(pool, paymentIntentId);
    expect((await settling).json()).toMatchObject({ status: 'succeeded', transactionId: TRANSACTION });
    expect((await offer(intent)).json().paymentIntent).toMatchObject({ status: 'completed', metadata: {} });
    const { rows } = await pool.query('select 1 from svc.payments where intent_id = $1', [other.paymentIntentId]);
    expect(rows).toEqual([]);
  });

  test('has the nonce of the next attempt after a payment failed, and that pays', async () => {
    const payer = newPayer();
    await api.chain.mint(USDC, payer.address, 10n ** 9n);
    const intent = await created();
    const { paymentIntentId, clientSecret: key } = intent;
    const settle = async () => {
      const [acceptance] = (await offer(intent)).json().accepts;
      const { boundNonce: nonce, terms } = acceptance.extra.svc;
      const signed = { nonce, primaryType: 'ReceiveWithAuthorization' } as const;
      const paymentHeader = await signHeader(payer, acceptance, signed);
      const body = { paymentIntentId, paymentHeader, paymentRequirements: acceptance };
      return { attempt: terms.attempt, nonce, answer: (await call(api, 'POST', SETTLE, { key, body })).json() };
    };
    const first = await settle();
    expect([first.attempt, first.answer.status]).toEqual([0, 'processing']);
    await playFailure(pool, paymentIntentId, 'insufficient_funds');
    const second = await settle();
    expect([second.attempt, second.answer.status]).toEqual([1, 'processing']);
    expect(second.nonce).not.toBe(first.nonce);
    await playCompletion(pool, paymentIntentId);
    expect((await offer(intent)).json().paymentIntent.status).toBe('completed');
  });

  test('is shown to the keys of its account, and to no key of another', async () => {
    const { paymentIntentId } = mine;
    for (const key of [keys.test.publishable, keys.test.secret])
      expect((await call(api, 'GET', offerPath(paymentIntentId), { key })).statusCode).toBe(402);
    for (const key of [keys.live.secret, (await seedAccount(pool)).keys.test.secret])
      expect((await call(api, 'GET', offerPath(paymentIntentId), { key })).statusCode).toBe(404);
  });
});

test('notify takes it: a page that has no key tells the hash of the payer’s own transaction', async () => {
  const body = { paymentIntentId: mine.paymentIntentId, transactionId: `0x${'ab'.repeat(32)}` };
  const response = await call(api, 'POST', NOTIFY, { key: mine.clientSecret, body });
  expect([response.statusCode, response.json().paymentIntentId]).toEqual([200, mine.paymentIntentId]);
  const foreign = await call(api, 'POST', NOTIFY, {
    key: mine.clientSecret,
    body: { ...body, paymentIntentId: other.paymentIntentId },
  });
  expect(foreign.statusCode).toBe(401);
});
