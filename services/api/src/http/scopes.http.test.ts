// Generated from the route table: a new route is tested with the scope that it names.
import { KEY_SCOPES, type KeyScope } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { isKeyed } from '../routes/route.ts';
import { ROUTES } from '../routes/route-table.ts';
import { CREATE, call } from '../testing/call.ts';
import { addKey, PEPPER } from '../testing/seed-account.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const api = await startTestApi({ SVC_API_STREAM_LIFE_MS: '100' });
const { pool } = api.database;
const { accountId, keys } = api.account;
const keyWith = (scopes: readonly KeyScope[], kind: 'secret' | 'publishable' = 'secret') =>
  addKey(pool, accountId, kind, 'test', PEPPER, { scopes });

const keyed = ROUTES.filter(isKeyed);
const ID_OF = {
  intentId: 'paymentIntent',
  paymentId: 'payment',
  endpointId: 'endpoint',
  eventId: 'event',
  recoveryId: 'replay',
  refundId: 'refund',
} as const;
const pathOf = (path: string) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof ID_OF) => newId(ID_OF[name], Date.now()));
const ask = async ({ method, path }: (typeof keyed)[number], key: string): Promise<string | undefined> =>
  errorIn(
    await call(api, method, pathOf(path), {
      key,
      headers: { 'x-account-id': accountId },
      ...(method !== 'GET' && method !== 'DELETE' && { body: {} }),
    }),
  );

/** A page of an export is no JSON. */
function errorIn(answer: Awaited<ReturnType<typeof call>>): string | undefined {
  if (!String(answer.headers['content-type']).startsWith('application/json')) return undefined;
  return answer.json<{ readonly error?: string }>().error;
}

const only = Object.fromEntries(
  await Promise.all(KEY_SCOPES.map(async (scope) => [scope, await keyWith([scope])] as const)),
);
const without = Object.fromEntries(
  await Promise.all(
    KEY_SCOPES.map(async (scope) => [scope, await keyWith(KEY_SCOPES.filter((other) => other !== scope))] as const),
  ),
);

test.each(keyed.map((route) => [route.operationId, route] as const))(
  '%s takes a key with its scope, refuses a key with all others, and takes a key without scopes',
  async (_, route) => {
    const { scope } = route;
    expect(await ask(route, without[scope] ?? '')).toBe('key_scope_missing');
    expect(await ask(route, only[scope] ?? '')).not.toBe('key_scope_missing');
    expect(await ask(route, keys.test.secret)).not.toBe('key_scope_missing');
  },
);

test('a publishable key without `create` follows and pays, and creates nothing', async () => {
  const key = await keyWith(['read', 'charge'], 'publishable');
  const refused = await call(api, 'POST', CREATE, { key, body: { usdAmount: 1 } });
  expect({ status: refused.statusCode, ...refused.json() }).toMatchObject({ status: 403, error: 'key_scope_missing' });
  expect(refused.headers['x-request-id']).toBeDefined();
});

test('no scope makes a publishable key a secret one', async () => {
  const route = keyed.find(({ operationId }) => operationId === 'createEndpoint')!;
  const key = await addKey(pool, accountId, 'publishable', 'test', PEPPER, { scopes: ['webhooks'] });
  expect(await ask(route, key)).toBe('key_kind_not_allowed');
});

test('the last use of a key is written behind the request, by the API’s own role', async () => {
  const own = await startTestApi();
  const { publishable } = own.account.keys.test;
  for (let count = 0; count < 5; count += 1)
    await call(own, 'POST', CREATE, { key: publishable, body: { usdAmount: 1 } });
  const uses = async () =>
    (await own.database.pool.query('select kind, last_used_at from svc.api_keys where mode = $1', ['test'])).rows;
  expect((await uses()).every(({ last_used_at }) => last_used_at === null)).toBe(true);
  await own.stop();
  const used = (await uses()).filter(({ last_used_at }) => last_used_at !== null);
  expect(used.map(({ kind }) => kind)).toEqual(['publishable']);
});
