// Generated from the OpenAPI document: a new route is either tested here or fails as one that cannot be filled.

import { NOW } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { call, ENDPOINTS, intentPath } from '../testing/call.ts';
import { fillRequest, type Ids, type Operation, operationsOf } from '../testing/fill-request.ts';
import { nobodysIds, ownObjects } from '../testing/own-objects.ts';
import { seedAccount } from '../testing/seed-account.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const api = await startTestApi({ SVC_API_STREAM_LIFE_MS: '100' });
const operations = operationsOf((await call(api, 'GET', '/openapi.json')).json());
const keyed = operations.filter(({ operation }) => operation.security.length > 0);

const owner = api.account;
const stranger = await seedAccount(api.database.pool);
const MODES = ['test', 'live'] as const;
const KINDS = ['publishable', 'secret'] as const;

const NOBODYS = nobodysIds();

const owned = { test: await ownObjects(api, owner, 'test'), live: await ownObjects(api, owner, 'live') };

/** All keys that must not see the owner's objects of `mode`. */
const keysOutside = (mode: (typeof MODES)[number]) =>
  KINDS.flatMap((kind) => [
    ...MODES.map((foreign) => ({
      whose: `a stranger's ${kind} ${foreign} key`,
      key: stranger.keys[foreign][kind],
      account: { 'x-account-id': stranger.accountId },
    })),
    {
      whose: `the owner's ${kind} key of the other mode`,
      key: owner.keys[mode === 'test' ? 'live' : 'test'][kind],
      account: { 'x-account-id': owner.accountId },
    },
  ]);

const send = ({ method, path, operation }: Operation, ids: Ids, key: string, headers = {}) => {
  const { url, body } = fillRequest(path, operation, ids);
  return call(api, method, url, { key, headers, ...(body !== undefined && { body }) });
};
const withoutRequestId = (text: string) => text.replaceAll(/req_[0-9a-z]{26}/g, 'req');

test('there are routes to try, and open ones take no id but the payable addresses, which have a secret of their own', () => {
  expect(keyed.length).toBeGreaterThanOrEqual(4);
  const open = operations.filter(({ operation }) => operation.security.length === 0).map(({ path }) => path);
  expect(open.filter((path) => path.includes('{'))).toEqual([
    '/pay/solana/{intentId}',
    '/pay/solana/{intentId}',
    '/pay/{intentId}',
  ]);
});

for (const route of keyed) {
  for (const mode of MODES) {
    for (const { whose, key, account } of keysOutside(mode)) {
      test(`${route.method} ${route.path}: what is ${mode} is not there for ${whose}`, async () => {
        const mine = await send(route, owned[mode], key, account);
        const nobodys = await send(route, NOBODYS, key, account);
        for (const id of Object.values(owned[mode])) expect(mine.body).not.toContain(id);
        // A list shows the owner's own objects of the other mode, and they name the account.
        if (account['x-account-id'] !== owner.accountId) expect(mine.body).not.toContain(owner.accountId);
        expect(mine.statusCode).toBe(nobodys.statusCode);
        // A POST without an id creates something new, so its answers may differ.
        if (route.path.includes('{') || route.method === 'GET')
          expect(withoutRequestId(mine.body)).toBe(withoutRequestId(nobodys.body));
      });
    }
  }

  test(`${route.method} ${route.path}: naming another account is refused`, async () => {
    for (const mode of MODES) {
      const response = await send(route, owned[mode], stranger.keys[mode].secret, {
        'x-account-id': owner.accountId,
      });
      expect({ status: response.statusCode, ...response.json() }).toMatchObject({
        status: 403,
        error: 'account_mismatch',
      });
    }
  });
}

test('after all of this the owner still sees everything, unchanged', async () => {
  for (const mode of MODES) {
    const read = await call(api, 'GET', intentPath(owned[mode].intentId), { key: owner.keys[mode].publishable });
    expect(read.json().paymentIntent).toMatchObject({ id: owned[mode].intentId, status: 'requires_payment' });
    const hooks = await call(api, 'GET', `${ENDPOINTS}/${owned[mode].endpointId}`, { key: owner.keys[mode].secret });
    expect(hooks.json().endpoint).toMatchObject({ status: 'enabled', url: 'https://shop.example/hooks' });
    expect(hooks.json().endpoint.updatedAt).toBe(hooks.json().endpoint.createdAt);
    const { rows } = await api.database.pool.query(
      'select attempt_count, next_at from svc.deliveries where event_id = $1',
      [owned[mode].eventId],
    );
    expect(rows).toEqual([{ attempt_count: 0, next_at: NOW }]);
    const refund = await call(api, 'GET', `/sdk/refunds/${owned[mode].refundId}`, { key: owner.keys[mode].secret });
    expect(refund.json().refund).toMatchObject({ id: owned[mode].refundId, status: 'prepared' });
  }
});

test('a route with something unknown in its path or body stops this file', () => {
  const operation = { operationId: 'getThing', security: [{ secretKey: [] }] };
  expect(() => fillRequest('/things/{thingId}', operation, NOBODYS)).toThrow('thingId');
  const requestBody = { content: { 'application/json': { schema: { $ref: '#/components/schemas/NewThing' } } } };
  expect(() => fillRequest('/things', { ...operation, requestBody }, NOBODYS)).toThrow('NewThing');
  const parameters = [{ in: 'query', name: 'thing' }];
  expect(() => fillRequest('/things', { ...operation, parameters }, NOBODYS)).toThrow('thing');
});
