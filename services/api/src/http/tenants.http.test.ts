// Made from the OpenAPI document: a route that is added to it is tested here, or this file says that it does not know how.

import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { CREATE, call, intentPath } from '../testing/call.ts';
import { fillRequest, type Operation, operationsOf } from '../testing/fill-request.ts';
import { seedAccount } from '../testing/seed-account.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const api = await startTestApi({ SVC_API_STREAM_LIFE_MS: '100' });
const operations = operationsOf((await call(api, 'GET', '/openapi.json')).json());
const keyed = operations.filter(({ operation }) => operation.security.length > 0);

const owner = api.account;
const stranger = await seedAccount(api.database.pool);
const MODES = ['test', 'live'] as const;
const KINDS = ['publishable', 'secret'] as const;

const intentOf = async (mode: (typeof MODES)[number]): Promise<string> =>
  (await call(api, 'POST', CREATE, { key: owner.keys[mode].publishable, body: { usdAmount: 7 } })).json()
    .paymentIntentId;
const intents = { test: await intentOf('test'), live: await intentOf('live') };

/** Every key that must not see the owner's intent of `mode`. */
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

const send = ({ method, path, operation }: Operation, intentId: string, key: string, headers = {}) => {
  const { url, body } = fillRequest(path, operation, { intentId });
  return call(api, method, url, { key, headers, ...(body !== undefined && { body }) });
};
const withoutRequestId = (text: string) => text.replaceAll(/req_[0-9a-z]{26}/g, 'req');

test('there are routes to try, and open ones take no id', () => {
  expect(keyed.length).toBeGreaterThanOrEqual(4);
  for (const { path, operation } of operations) if (operation.security.length === 0) expect(path).not.toContain('{');
});

for (const route of keyed) {
  for (const mode of MODES) {
    for (const { whose, key, account } of keysOutside(mode)) {
      test(`${route.method} ${route.path}: a ${mode} intent is not there for ${whose}`, async () => {
        const mine = await send(route, intents[mode], key, account);
        const nobodys = await send(route, newId('paymentIntent', Date.now()), key, account);
        expect(mine.body).not.toContain(intents[mode]);
        expect(mine.body).not.toContain(owner.accountId);
        expect(mine.statusCode).toBe(nobodys.statusCode);
        // A route without an id in it makes something new, which may well answer differently each time.
        if (route.path.includes('{')) expect(withoutRequestId(mine.body)).toBe(withoutRequestId(nobodys.body));
      });
    }
  }

  test(`${route.method} ${route.path}: naming another account is refused`, async () => {
    for (const mode of MODES) {
      const response = await send(route, intents[mode], stranger.keys[mode].secret, {
        'x-account-id': owner.accountId,
      });
      expect({ status: response.statusCode, ...response.json() }).toMatchObject({
        status: 403,
        error: 'account_mismatch',
      });
    }
  });
}

test('after all of this the owner still sees both intents, unchanged', async () => {
  for (const mode of MODES) {
    const read = await call(api, 'GET', intentPath(intents[mode]), { key: owner.keys[mode].publishable });
    expect(read.json().paymentIntent).toMatchObject({ id: intents[mode], status: 'requires_payment' });
  }
});

test('a route with something unknown in its path or body stops this file', () => {
  const operation = { operationId: 'getThing', security: [{ secretKey: [] }] };
  expect(() => fillRequest('/things/{thingId}', operation, { intentId: 'pi_x' })).toThrow('thingId');
  const requestBody = { content: { 'application/json': { schema: { $ref: '#/components/schemas/NewThing' } } } };
  expect(() => fillRequest('/things', { ...operation, requestBody }, { intentId: 'pi_x' })).toThrow('NewThing');
});
