import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { insertRow } from '@svc-pay/postgres/testing';
import { errorBody } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { padHex } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { arbitraryRequest, type GeneratedRequest } from '../testing/arbitrary-request.ts';
import type { SignedSample } from '../testing/arbitrary-settle.ts';
import { CREATE, call, ENDPOINTS } from '../testing/call.ts';
import { fuzzRequests, fuzzSeed } from '../testing/config.ts';
import { operationsOf } from '../testing/fill-request.ts';
import { NETWORKS, seedAccount } from '../testing/seed-account.ts';
import { newNonce, newPayer, signHeader } from '../testing/sign-header.ts';
import { startFakeNode } from '../testing/start-fake-node.ts';
import { startFakeSettlement } from '../testing/start-fake-settlement.ts';
import { startTestApi } from '../testing/start-test-api.ts';

const prices = createServer((_, response) => {
  response.end(JSON.stringify({ usd: '1.0832', observedAt: new Date().toISOString() }));
});
await new Promise<void>((resolve) => void prices.listen(0, '127.0.0.1', resolve));
afterAll(() => void prices.close());

const node = await startFakeNode();
const networks = Object.entries(NETWORKS).map(([name, setup]) => [name, { ...setup, rpcUrls: [node] }]);
const settlement = await startFakeSettlement();
settlement.answer = async (body) => ({
  error: 'paymentId' in body ? 'payment_not_mismatched' : 'intent_not_payable',
});
const api = await startTestApi({
  SVC_NETWORKS: JSON.stringify(Object.fromEntries(networks)),
  SVC_SETTLE_WAIT_MS: '0',
  SVC_SETTLEMENT_URL: settlement.url,
  SVC_PRICE_FEED_URL: `http://127.0.0.1:${(prices.address() as AddressInfo).port}`,
  SVC_API_STREAM_LIFE_MS: '20',
  SVC_API_CACHE_MS: '1000',
});
const other = await seedAccount(api.database.pool);
const document = (await call(api, 'GET', '/openapi.json')).json();
const keys = [api.account, other].flatMap((account) =>
  Object.values(account.keys).flatMap((pair) => Object.values(pair)),
);
const intentIds = await Promise.all(
  keys.map(async (key) => (await call(api, 'POST', CREATE, { key, body: { usdAmount: 1 } })).json().paymentIntentId),
);

const secrets = keys.filter((key) => key.startsWith('sk_'));
const endpointIds = await Promise.all(
  secrets.map(async (key) => {
    const body = { url: 'https://shop.example/hooks', eventTypes: ['payment_intent.created'] };
    return (await call(api, 'POST', ENDPOINTS, { key, body })).json().endpoint.id as string;
  }),
);
const recoveryIds = await Promise.all(
  secrets.map(async (key, index) => {
    const body = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };
    return (await call(api, 'POST', `${ENDPOINTS}/${endpointIds[index]}/recover`, { key, body })).json().recovery.id;
  }),
);
const { rows: emitted } = await api.database.pool.query<{ id: string }>('select id from svc.events limit 20');
const paymentIds = [newId('payment', Date.now()), newId('payment', Date.now())];
await insertRow(api.database.pool, 'payments', {
  account_id: api.account.accountId,
  id: paymentIds[0],
  intent_id: intentIds[0],
});
const pathIds = {
  endpointId: endpointIds,
  recoveryId: recoveryIds,
  eventId: emitted.map(({ id }) => id),
  paymentId: paymentIds,
  refundId: [newId('refund', Date.now()), newId('refund', Date.now())],
};

const payer = newPayer();
const signed = await Promise.all(
  Array.from({ length: 60 }, async (_, index): Promise<SignedSample> => {
    const tokenShortcode = ['basesepolia_usdc', 'anvil_usdc', 'anvil_vol'][index % 3];
    const body = { usdAmount: 1, tokenShortcode, x402Upto: index % 15 === 0 };
    const created = await call(api, 'POST', CREATE, { key: keys[index % 2] ?? '', body });
    const { paymentIntentId: intentId, accepts } = created.json();
    const nonce = tokenShortcode === 'anvil_vol' ? padHex('0x0') : newNonce();
    return { intentId, acceptance: accepts[0], paymentHeader: await signHeader(payer, accepts[0], { nonce }) };
  }),
);

const HANG_MS = 15_000;
const IN_FLIGHT = 16;

async function statusOf(request: GeneratedRequest): Promise<number> {
  const hang = Promise.withResolvers<never>();
  const timer = setTimeout(() => hang.reject(new Error('no answer')), HANG_MS);
  try {
    const response = await Promise.race([api.app.inject(request as InjectOptions), hang.promise]);
    expect(response.headers['x-request-id']).toMatch(/^req_/);
    if (response.statusCode >= 400 && response.statusCode !== 402) {
      expect(errorBody.safeParse(response.json()).success, response.body).toBe(true);
    }
    return response.statusCode;
  } finally {
    clearTimeout(timer);
  }
}

test(`${fuzzRequests} generated requests: no 5xx, no hang, no refusal of another shape`, {
  timeout: 900_000,
}, async () => {
  const seed = fuzzSeed === undefined ? Date.now() : Number.parseInt(fuzzSeed, 10);
  const accountIds = [api.account.accountId, other.accountId];
  const world = {
    operations: operationsOf(document),
    schemas: document.components.schemas,
    keys,
    intentIds,
    pathIds,
    accountIds,
    signed,
  };
  const arbitrary = arbitraryRequest(world);
  const counts = new Map<number, number>();
  const chunk = 500;
  for (let done = 0; done < fuzzRequests; done += chunk) {
    const requests = fc.sample(arbitrary, { seed: seed + done, numRuns: Math.min(chunk, fuzzRequests - done) });
    const waiting = requests.values();
    const work = async () => {
      for (const request of waiting) {
        const status = await statusOf(request);
        counts.set(status, (counts.get(status) ?? 0) + 1);
        if (status >= 500) expect.fail(`seed ${seed}: ${status} for ${JSON.stringify(request)}`);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  }
  console.log(`fuzz: seed ${seed}, ${JSON.stringify(Object.fromEntries(counts))}`);
  expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(fuzzRequests);
  // Valid headers were accepted, and none was accepted twice.
  const { rows } = await api.database.pool.query<{ payments: number; intents: number }>(
    'select count(*)::integer as payments, count(distinct intent_id)::integer as intents from svc.payments',
  );
  expect(rows[0]?.payments).toBeGreaterThan(0);
  expect(rows[0]?.payments).toBe(rows[0]?.intents);
  // The fuzzer must get past admission: every one of these statuses has to occur.
  for (const status of [200, 400, 401, 402, 404, 405, 422]) expect(counts.get(status) ?? 0).toBeGreaterThan(0);
});
