import { endpointContext, endpointSecretBytes } from '@svc-pay/core';
import { endpoint as endpointShape } from '@svc-pay/protocol/merchant';
import { describe, expect, test } from 'vitest';
import { call, ENDPOINTS } from '../../testing/call.ts';
import { seedAccount } from '../../testing/seed-account.ts';
import { BOX, startTestApi } from '../../testing/start-test-api.ts';

const clock = { atMs: Date.now(), nowMs: () => clock.atMs };
const api = await startTestApi({ SVC_WEBHOOKS_ALLOW_LOOPBACK: 'on' }, clock);
const { pool } = api.database;
const { accountId, keys } = api.account;
const key = keys.test.secret;
const hooks = { url: 'https://shop.example/hooks', eventTypes: ['payment.completed'] };

const post = (path: string, body?: object, more = {}) =>
  call(api, 'POST', path, { key, ...(body && { body }), ...more });
const create = async (body: object = hooks) => (await post(ENDPOINTS, body)).json();
const pathOf = (id: string) => `${ENDPOINTS}/${id}`;
const rowOf = async (id: string) =>
  (await pool.query('select * from svc.endpoints where account_id = $1 and id = $2', [accountId, id])).rows[0];
const auditOf = async (id: string) =>
  (
    await pool.query<{ action: string; actor: string; detail: object }>(
      'select action, actor, detail from svc.audit where account_id = $1 and target = $2 order by id',
      [accountId, id],
    )
  ).rows;

test('an endpoint is created with what the interface says, and with defaults for the rest', async () => {
  const response = await post(ENDPOINTS, hooks);
  expect(response.statusCode).toBe(201);
  const { endpoint, secret } = response.json();
  expect(endpointShape.parse(endpoint)).toEqual(endpoint);
  expect(endpoint).toMatchObject({
    ...hooks,
    retryCount: 10,
    timeoutSeconds: 5,
    headers: {},
    status: 'enabled',
    disabledReason: null,
    failingSince: null,
    disablesAt: null,
    mode: 'test',
  });
  expect(endpointSecretBytes(secret)).toHaveLength(32);
  expect((await call(api, 'GET', pathOf(endpoint.id), { key })).json()).toEqual({ endpoint });
});

test('secret and headers can be opened by who delivers, and are nowhere else', async () => {
  const headers = { Authorization: 'Bearer shop-canary', 'X-Shop': 'a b' };
  const { endpoint, secret } = await create({ ...hooks, headers });
  expect(endpoint.headers).toEqual({ Authorization: '***', 'X-Shop': '***' });
  const row = await rowOf(endpoint.id);
  expect(BOX.open(row.secret_ciphertext, endpointContext(accountId, endpoint.id, 'endpoint-secret'))).toBe(secret);
  const opened = BOX.open(row.headers_ciphertext, endpointContext(accountId, endpoint.id, 'endpoint-headers'));
  expect(JSON.parse(opened)).toEqual(headers);
  const shown = [
    (await call(api, 'GET', pathOf(endpoint.id), { key })).body,
    (await call(api, 'GET', ENDPOINTS, { key })).body,
    JSON.stringify(await auditOf(endpoint.id)),
    JSON.stringify(row),
    api.logs.join(''),
  ].join('');
  for (const word of ['shop-canary', secret]) expect(shown).not.toContain(word);
});

test('a repeat with the same key makes no second endpoint and does not show the secret again', async () => {
  const headers = { 'idempotency-key': 'endpoint-1' };
  const first = await post(ENDPOINTS, hooks, { headers });
  const again = await post(ENDPOINTS, hooks, { headers });
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(again.statusCode).toBe(201);
  expect(again.json()).toEqual({ endpoint: first.json().endpoint, secret: null });
  const { rows } = await pool.query('select response_body from svc.idempotency where key = $1', ['endpoint-1']);
  expect(rows[0].response_body.toString()).not.toContain(first.json().secret);
  const other = await post(ENDPOINTS, { ...hooks, retryCount: 1 }, { headers });
  expect(other.json()).toMatchObject({ error: 'idempotency_key_reused' });
});

test('ten repeats at once make one endpoint', async () => {
  const headers = { 'idempotency-key': 'endpoint-race' };
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(ENDPOINTS, hooks, { headers })));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(201));
  expect(new Set(answers.map((answer) => answer.json().endpoint.id)).size).toBe(1);
  expect(answers.filter((answer) => answer.json().secret !== null)).toHaveLength(1);
});

describe('what can’t be saved', () => {
  test.each([
    ['https://8.8.8.8/', 'url_is_an_address'],
    ['http://shop.example/', 'url_scheme'],
    ['https://localhost/', 'url_address_denied'],
    ['https://localhost./', 'url_address_denied'],
    ['https://0x7f.1/', 'url_is_an_address'],
    ['https://2130706433/', 'url_is_an_address'],
    ['https://0177.0.0.1/', 'url_is_an_address'],
    ['https://127.1/', 'url_is_an_address'],
    ['https://１２７.０.０.１/', 'url_is_an_address'],
    ['https://[::ffff:127.0.0.1]/', 'url_is_an_address'],
    ['https://127.0.0.1\\@example.com/', 'url_malformed'],
    ['https://user:pass@shop.example/', 'url_has_credentials'],
    ['https://shop.example:22/', 'url_port_denied'],
    ['https://shop.example:25/', 'url_port_denied'],
    ['https://shop.example:5432/', 'url_port_denied'],
    ['https://shop.example:6379/', 'url_port_denied'],
    ['shop.example', 'url_malformed'],
  ])('live: %s', async (url, error) => {
    const response = await call(api, 'POST', ENDPOINTS, { key: keys.live.secret, body: { ...hooks, url } });
    expect({ status: response.statusCode, ...response.json() }).toMatchObject({ status: 422, error, param: 'url' });
  });

  test.each(['http://169.254.169.254/', 'http://[64:ff9b::a9fe:a9fe]/', 'http://[2002:7f00:1::]/', 'http://10.0.0.1/'])(
    'test: %s',
    async (url) => {
      expect((await post(ENDPOINTS, { ...hooks, url })).json()).toMatchObject({ error: 'url_address_denied' });
    },
  );

  test('this machine, unless the operator’s switch is on', async () => {
    expect((await post(ENDPOINTS, { ...hooks, url: 'http://127.0.0.1:3000/' })).statusCode).toBe(201);
    const strict = await startTestApi();
    const body = { ...hooks, url: 'http://127.0.0.1:3000/' };
    const refused = await call(strict, 'POST', ENDPOINTS, { key: strict.account.keys.test.secret, body });
    expect(refused.json()).toMatchObject({ error: 'url_address_denied' });
  });

  test.each([
    [{ Host: 'x' }],
    [{ 'X-SVC-Signature': 'x' }],
    [{ 'Transfer-Encoding': 'x' }],
    [{ 'content-length': '1' }],
    [{ 'bad name': 'x' }],
    [{ 'X-Line': 'a\r\nb: c' }],
    [{ 'X-A': '***' }],
    [{ 'X-A': 'a', 'x-a': 'b' }],
    [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'a']))],
  ])('headers %j', async (headers) => {
    const response = await post(ENDPOINTS, { ...hooks, headers });
    expect({ status: response.statusCode, ...response.json() }).toMatchObject({
      status: 422,
      error: 'headers_invalid',
      param: 'headers',
    });
  });

  test.each([
    [{}, 'url'],
    [{ ...hooks, eventTypes: [] }, 'eventTypes'],
    [{ ...hooks, eventTypes: ['payment.canceled'] }, 'eventTypes'],
    [{ ...hooks, retryCount: 37 }, 'retryCount'],
    [{ ...hooks, timeoutSeconds: 0 }, 'timeoutSeconds'],
    [{ ...hooks, headers: { a: 1 } }, 'headers'],
  ])('%j', async (body, param) => {
    const response = await post(ENDPOINTS, body);
    expect({ status: response.statusCode, ...response.json() }).toMatchObject({
      status: 400,
      error: 'malformed_request',
      param,
    });
  });

  test('a publishable key', async () => {
    const response = await call(api, 'POST', ENDPOINTS, { key: keys.test.publishable, body: hooks });
    expect(response.json()).toMatchObject({ error: 'key_kind_not_allowed' });
  });

  test('a query that is unknown, repeated or out of range', async () => {
    for (const query of ['limit=0', 'limit=101', 'limit=a', 'limit=1&limit=2', 'startingAfter=x', 'starting_after=x']) {
      const response = await call(api, 'GET', `${ENDPOINTS}?${query}`, { key });
      expect(response.json(), query).toMatchObject({ error: 'malformed_request', param: query.split('=')[0] });
    }
  });
});

test('an update changes what it names and nothing else', async () => {
  const { endpoint } = await create({ ...hooks, headers: { 'X-A': 'a' }, retryCount: 3 });
  clock.atMs += 1_000;
  const patch = async (body: object) => (await call(api, 'PATCH', pathOf(endpoint.id), { key, body })).json();
  const changed = await patch({ url: 'https://other.example/', timeoutSeconds: 9 });
  expect(changed.endpoint).toEqual({
    ...endpoint,
    url: 'https://other.example/',
    timeoutSeconds: 9,
    updatedAt: new Date(clock.atMs).toISOString(),
  });
  expect((await patch({ headers: { 'X-B': 'b' } })).endpoint.headers).toEqual({ 'X-B': '***' });
  expect((await patch({ headers: null, retryCount: null })).endpoint).toMatchObject({ headers: {}, retryCount: 10 });
  expect((await rowOf(endpoint.id)).headers_ciphertext).toBeNull();
  expect(await patch({ url: 'https://shop.example:22/' })).toMatchObject({ error: 'url_port_denied' });
  expect((await auditOf(endpoint.id)).map(({ detail }) => detail)).toContainEqual({
    fields: ['url', 'timeoutSeconds'],
  });
});

test('deleting takes it away, discards what waits, and lets what is under way end', async () => {
  const { endpoint } = await create();
  const delivery = (event: string, leaseUntil: Date | null, nextAt: Date | 'infinity') =>
    pool.query(
      `insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, next_at, lease_until, created_at)
       values ($1, 'test', $2, $3, 'pending', $4, $5, now())`,
      [accountId, event, endpoint.id, nextAt, leaseUntil],
    );
  const soon = new Date(clock.atMs + 60_000);
  await delivery('evt_waits', null, soon);
  await delivery('evt_parked', null, 'infinity');
  await delivery('evt_under_way', soon, soon);
  const response = await call(api, 'DELETE', pathOf(endpoint.id), { key });
  expect(response.json()).toEqual({ id: endpoint.id, deleted: true });
  const { rows } = await pool.query(
    'select event_id, status, reason from svc.deliveries where endpoint_id = $1 order by event_id',
    [endpoint.id],
  );
  expect(rows).toEqual([
    { event_id: 'evt_parked', status: 'discarded', reason: 'endpoint_deleted' },
    { event_id: 'evt_under_way', status: 'pending', reason: null },
    { event_id: 'evt_waits', status: 'discarded', reason: 'endpoint_deleted' },
  ]);
  expect(await rowOf(endpoint.id)).toMatchObject({ status: 'deleted', secret_ciphertext: null });
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/enable'],
    ['POST', '/disable'],
    ['POST', '/rotate-secret'],
  ] as const) {
    expect((await call(api, method, `${pathOf(endpoint.id)}${path}`, { key })).statusCode).toBe(404);
  }
});

test('off and on again: what waited goes out, once', async () => {
  const { endpoint } = await create();
  const off = (await post(`${pathOf(endpoint.id)}/disable`)).json();
  expect(off.endpoint).toMatchObject({ status: 'disabled', disabledReason: 'merchant' });
  await pool.query(
    `insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, next_at, created_at)
     values ($1, 'test', 'evt_missed', $2, 'pending', 'infinity', now())`,
    [accountId, endpoint.id],
  );
  const on = (await post(`${pathOf(endpoint.id)}/enable`)).json();
  expect(on).toMatchObject({ endpoint: { status: 'enabled', disabledReason: null }, replayed: 1 });
  expect((await post(`${pathOf(endpoint.id)}/enable`)).json()).toMatchObject({ replayed: 0 });
  expect((await auditOf(endpoint.id)).map(({ action }) => action)).toEqual(
    expect.arrayContaining(['endpoint.created', 'endpoint.disabled', 'endpoint.enabled']),
  );
});

test('while it fails it says when it will be switched off', async () => {
  const { endpoint } = await create();
  const since = new Date(clock.atMs - 86_400_000);
  await pool.query('update svc.endpoints set failing_since = $2 where id = $1', [endpoint.id, since]);
  const shown = (await call(api, 'GET', pathOf(endpoint.id), { key })).json().endpoint;
  expect(shown.failingSince).toBe(since.toISOString());
  expect(shown.disablesAt).toBe(new Date(since.getTime() + 5 * 86_400_000).toISOString());
});

test('a new secret overlaps with the old one for as long as was asked', async () => {
  const { endpoint, secret } = await create();
  const context = endpointContext(accountId, endpoint.id, 'endpoint-secret');
  const rotated = (await post(`${pathOf(endpoint.id)}/rotate-secret`, { overlapSeconds: 60 })).json();
  expect(rotated.secret).not.toBe(secret);
  expect(rotated.previousSecretExpiresAt).toBe(new Date(clock.atMs + 60_000).toISOString());
  expect(rotated.endpoint.previousSecretExpiresAt).toBe(rotated.previousSecretExpiresAt);
  const during = await rowOf(endpoint.id);
  expect(BOX.open(during.secret_ciphertext, context)).toBe(rotated.secret);
  expect(BOX.open(during.previous_secret_ciphertext, context)).toBe(secret);
  clock.atMs += 61_000;
  const later = (await call(api, 'GET', pathOf(endpoint.id), { key })).json().endpoint;
  expect(later.previousSecretExpiresAt).toBeNull();
  const byDefault = (await post(`${pathOf(endpoint.id)}/rotate-secret`)).json();
  expect(byDefault.previousSecretExpiresAt).toBe(new Date(clock.atMs + 86_400_000).toISOString());
  const mapConcurrent = (await post(`${pathOf(endpoint.id)}/rotate-secret`, { overlapSeconds: 0 })).json();
  expect(mapConcurrent.previousSecretExpiresAt).toBeNull();
  expect((await rowOf(endpoint.id)).previous_secret_ciphertext).toBeNull();
  expect(JSON.stringify(await auditOf(endpoint.id))).not.toContain('whsec_');
});

test('pages are newest first, and a page that is asked for again is the same while endpoints are added', async () => {
  const account = await seedAccount(pool);
  const own = { key: account.keys.live.secret };
  const made: string[] = [];
  const add = async () => {
    clock.atMs += 1;
    made.unshift((await call(api, 'POST', ENDPOINTS, { ...own, body: hooks })).json().endpoint.id);
  };
  for (let count = 0; count < 5; count += 1) await add();
  const list = async (query: string) => (await call(api, 'GET', `${ENDPOINTS}?${query}`, own)).json();
  const first = await list('limit=2');
  expect(first).toMatchObject({ data: [{ id: made[0] }, { id: made[1] }], hasMore: true });
  const cursor = first.data[1].id;
  const second = await list(`limit=2&startingAfter=${cursor}`);
  await add();
  expect(await list(`limit=2&startingAfter=${cursor}`)).toEqual(second);
  expect(await list(`limit=2&startingAfter=${second.data[1].id}`)).toMatchObject({ hasMore: false });
});

test('fifty endpoints are enough, however many are created at once', async () => {
  const account = await seedAccount(pool);
  const own = { key: account.keys.live.secret, body: hooks };
  const answers = await Promise.all(Array.from({ length: 55 }, () => call(api, 'POST', ENDPOINTS, own)));
  expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(50);
  expect(answers.find(({ statusCode }) => statusCode !== 201)?.json()).toMatchObject({
    error: 'endpoint_limit_reached',
  });
});

test('without a key to seal with, nothing is created', async () => {
  const bare = await startTestApi({ SVC_SEAL_KEY: undefined });
  const response = await call(bare, 'POST', ENDPOINTS, { key: bare.account.keys.test.secret, body: hooks });
  expect(response.json()).toMatchObject({ error: 'endpoints_unavailable' });
});
