import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { createLogger } from '@svc-pay/runtime/logging';
import { expect, onTestFinished, test } from 'vitest';
import { readApiConfig } from './config.ts';
import { startApi } from './start.ts';
import { CREATE, call, intentPath, SETTLE } from './testing/call.ts';
import { readEvents } from './testing/read-events.ts';
import { seedAccount } from './testing/seed-account.ts';
import { startApiProcess } from './testing/start-api-process.ts';
import { startTestApi, testEnvironment } from './testing/start-test-api.ts';

const api = await startTestApi();

test('alive and ready say so; metrics are on their own listener only', async () => {
  expect((await call(api, 'GET', '/health')).json()).toEqual({ status: 'ok' });
  expect((await call(api, 'GET', '/ready')).json()).toEqual({ status: 'ready' });
  expect((await fetch(`${api.url}/metrics`)).status).toBe(404);
  expect(new URL(api.metricsUrl).port).not.toBe(new URL(api.url).port);
});

test('metrics count requests by template, intents, replays and connections', async () => {
  const key = api.account.keys.test.publishable;
  const headers = { 'idempotency-key': 'metrics' };
  const created = await call(api, 'POST', CREATE, { key, body: { usdAmount: 1 }, headers });
  await call(api, 'POST', CREATE, { key, body: { usdAmount: 1 }, headers });
  await call(api, 'GET', intentPath(created.json().paymentIntentId), { key });
  await call(api, 'GET', '/nowhere/7');
  const text = await (await fetch(api.metricsUrl)).text();
  expect(text).toContain(`http_requests_total{route="${CREATE}",method="POST",status="402"} 2`);
  expect(text).toContain(
    'http_requests_total{route="/sdk/public/payments/intents/:intentId",method="GET",status="200"} 1',
  );
  expect(text).toContain('http_requests_total{route="unmatched",method="GET",status="404"}');
  expect(text).toContain('intents_created_total{mode="test",answer="payment_required"} 1');
  expect(text).toMatch(/idempotent_replays_total\{route="[^"]+"\} 1/);
  expect(text).toMatch(/http_request_duration_seconds_bucket\{le="0.005",route=/);
  expect(text).toMatch(/^database_connections \d+$/m);
  expect(text).not.toContain(created.json().paymentIntentId);
});

test('each request has one log line with its id, template, status, time and account', async () => {
  const response = await call(api, 'GET', intentPath('pi_x'), { key: api.account.keys.test.publishable });
  const lines = api.logs.map((line) => JSON.parse(line));
  expect(lines.filter(({ requestId }) => requestId === response.headers['x-request-id'])).toEqual([
    expect.objectContaining({
      event: 'request_finished',
      method: 'GET',
      route: '/sdk/public/payments/intents/:intentId',
      status: 404,
      ms: expect.any(Number),
      accountId: api.account.accountId,
      mode: 'test',
    }),
  ]);
});

test('without its schema the API is alive and not ready', async () => {
  const empty = await createTestDatabase({ from: 'empty' });
  const bare = await startApiProcess(testEnvironment(empty.url));
  expect((await fetch(`${bare.url}/health`)).status).toBe(200);
  const ready = await fetch(`${bare.url}/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ error: 'service_unavailable', retryable: true });
});

test('without a database requests are refused for the moment, in the one shape', async () => {
  const environment = testEnvironment('postgres://nobody:nothing@127.0.0.1:9/none');
  const lost = await startApiProcess(environment);
  expect((await fetch(`${lost.url}/ready`)).status).toBe(503);
  const response = await fetch(`${lost.url}${intentPath('pi_x')}`, {
    headers: { authorization: `Bearer ${api.account.keys.test.publishable}` },
  });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ error: 'service_unavailable' });
});

test('without a database nobody who asks about a header is told that no money moved; elsewhere none can have', async () => {
  const lost = await startApiProcess(testEnvironment('postgres://nobody:nothing@127.0.0.1:9/none'));
  const moneyMoved = async (path: string) => {
    const headers = { authorization: `Bearer ${api.account.keys.test.secret}`, 'content-type': 'application/json' };
    const response = await fetch(`${lost.url}${path}`, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(503);
    return ((await response.json()) as { moneyMoved: string }).moneyMoved;
  };
  expect(await moneyMoved(SETTLE)).toBe('unknown');
  expect(await moneyMoved('/sdk/payments/x402/upto/settle')).toBe('unknown');
  expect(await moneyMoved('/sdk/public/payments/intents/x402/upto/confirm')).toBe('unknown');
  expect(await moneyMoved(CREATE)).toBe('no');
});

test('SIGTERM ends streams, lets requests finish and exits with 0', async () => {
  const database = await createTestDatabase();
  const { keys } = await seedAccount(database.pool);
  const child = await startApiProcess(testEnvironment(database.url));
  const headers = { authorization: `Bearer ${keys.test.publishable}`, 'content-type': 'application/json' };
  const create = () => fetch(`${child.url}${CREATE}`, { method: 'POST', headers, body: '{"usdAmount":1}' });
  const { paymentIntentId } = (await (await create()).json()) as { paymentIntentId: string };
  const reader = await readEvents(`${child.url}${intentPath(paymentIntentId)}/stream`, headers);
  await reader.next();

  // A lock keeps one request open while the signal arrives.
  const blocker = await database.pool.connect();
  await blocker.query('begin; lock table svc.intents in access exclusive mode');
  const slow = create();
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%with asked as materialized%'`;
  await expect.poll(async () => (await database.pool.query(waiting)).rowCount, { timeout: 10_000 }).toBe(1);
  const ended = child.kill('SIGTERM');
  expect(await reader.next()).toBeUndefined();
  await blocker.query('rollback');
  blocker.release();
  expect((await slow).status).toBe(402);
  expect(await ended).toBe(0);
  expect(child.output()).toContain('"event":"service_stopped"');
});

test('a port that is taken ends the start, and leaves nothing open', async () => {
  const { port } = new URL(api.url);
  const read = readApiConfig({ ...testEnvironment(api.database.url), SVC_API_PORT: port });
  const config = read.ok ? read.config : expect.fail(read.problems.join());
  const connections = async () =>
    (await api.database.pool.query('select from pg_stat_activity where datname = current_database()')).rowCount;
  const before = await connections();
  await expect(startApi(config, { logger: createLogger('api', 'silent') })).rejects.toThrow('EADDRINUSE');
  await expect.poll(connections).toBe(before);
});

test('a configuration that does not fit ends with 78, naming every variable', async () => {
  const started = startApiProcess({ SVC_DATABASE_URL: 'canary-value', SVC_API_PORT: 'x' });
  await expect(started).rejects.toThrow(
    /SVC_DATABASE_URL must be[^]*SVC_KEY_PEPPER is missing[^]*SVC_API_PORT must be/,
  );
  await expect(started).rejects.not.toThrow('canary-value');
});

test('traces go to the collector when one is configured, under the caller’s trace and without keys', async () => {
  const received: string[] = [];
  const collector = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => received.push(chunk.toString('latin1'))).on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void collector.close());
  const database = await createTestDatabase();
  const { keys } = await seedAccount(database.pool);
  const child = await startApiProcess({
    ...testEnvironment(database.url),
    SVC_TRACE_URL: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
  });
  const traceId = 'a'.repeat(32);
  await fetch(`${child.url}${intentPath('pi_x')}?publishableKey=${keys.test.publishable}`, {
    headers: { traceparent: `00-${traceId}-${'b'.repeat(16)}-01` },
  });
  expect(await child.kill('SIGTERM')).toBe(0);
  const text = received.join('');
  expect(text).toContain(traceId);
  expect(text).toContain('GET /sdk/public/payments/intents/:intentId');
  expect(text).not.toContain(keys.test.publishable.slice(8));
});

test('a connection that was opened and never used does not hold the stop up', async () => {
  const database = await createTestDatabase();
  const child = await startApiProcess(testEnvironment(database.url));
  const socket = connect(Number(new URL(child.url).port), '127.0.0.1');
  await once(socket, 'connect');
  await fetch(`${child.url}/health`);
  const startMs = performance.now();
  expect(await child.kill('SIGTERM')).toBe(0);
  expect(performance.now() - startMs).toBeLessThan(3_000);
  socket.destroy();
});

test('with a delay a stopping process says that it stops, and takes requests on new connections meanwhile', async () => {
  const child = await startTestApi({ SVC_API_STOP_DELAY_MS: '600' });
  // Each on a connection of its own.
  const ask = (route: string) => fetch(`${child.url}${route}`, { headers: { connection: 'close' } });
  const stopped = child.stop();
  expect((await ask('/ready')).status).toBe(503);
  expect((await ask('/health')).status).toBe(200);
  await stopped;
  await expect(ask('/health')).rejects.toThrow('fetch failed');
});
