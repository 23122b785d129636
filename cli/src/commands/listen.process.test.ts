import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from '@svc-pay/postgres/server';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { sealKeyTextFrom } from '@svc-pay/runtime/config';
import { createReceiver } from '@svc-pay/server';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';
import { runSvc, svcEnvironment } from '../testing/run-svc.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const PATIENCE = { timeout: 20_000, interval: 50 };
const port = await freePort();
let api: ChildProcess;
let merchant: Record<string, string>;
let secretKey: string;

function startSvc(environment: Record<string, string>, ...argv: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...argv], { env: { PATH: '/usr/bin:/bin', ...environment } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return { child, output: () => output };
}

beforeAll(async () => {
  const { url } = await createTestDatabase();
  const environment = svcEnvironment(url);
  const sealKey = sealKeyTextFrom(environment['SVC_MASTER_KEYS'] ?? '') ?? '';
  ({ child: api } = startSvc(
    {
      ...environment,
      SVC_SEAL_KEY: sealKey,
      SVC_API_PORT: String(port),
      SVC_API_METRICS_PORT: '0',
      SVC_LOG_LEVEL: 'error',
    },
    'start',
    'api',
  ));
  const { document } = await askSvc(environment, 'accounts', 'create', '--name', 'A shop');
  const { keys } = document as { keys: { mode: string; kind: string; text: string }[] };
  secretKey = keys.find(({ mode, kind }) => mode === 'test' && kind === 'secret')?.text ?? '';
  merchant = { SVC_SECRET_KEY: secretKey, SVC_API_URL: `http://127.0.0.1:${port}` };
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/ready`)).status;
  await vi.waitFor(async () => expect(await ready()).toBe(200), 30_000);
}, 60_000);
afterAll(async () => {
  const ended = once(api, 'close');
  api.kill('SIGTERM');
  await ended;
});

type Arrived = { readonly headers: IncomingHttpHeaders; readonly body: Buffer };

async function startReceiver(status = 200) {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      arrived.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const typesOf = () => arrived.map(({ body }) => (JSON.parse(body.toString()) as { type: string }).type);
  return { arrived, typesOf, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks` };
}

async function listen(...argv: readonly string[]) {
  const started = startSvc(merchant, 'listen', ...argv);
  onTestFinished(() => void started.child.kill('SIGKILL'));
  await vi.waitFor(() => expect(started.output()).toContain('Forwarding to'), PATIENCE);
  return started;
}
const trigger = async (type: string) =>
  (await askSvc(merchant, 'trigger', type)) as { exitCode: number; document: { eventId: string; deliveries: number } };

test('an event arrives as a delivery would: both signatures verify, one v1, its sequence, one line about it', async () => {
  const receiver = await startReceiver();
  const listening = await listen('--forward-to', receiver.url);
  const { document } = await trigger('payment.completed');
  await vi.waitFor(() => expect(receiver.arrived).toHaveLength(1), PATIENCE);
  const [{ headers, body }] = receiver.arrived as [Arrived];
  const printed = /whsec_[A-Za-z0-9+/=]+/.exec(listening.output())?.[0] ?? '';
  for (const secret of [secretKey, printed]) {
    const verdict = await createReceiver({ secrets: [secret] }).verify(body, headers);
    expect(verdict).toMatchObject({ ok: true, event: { id: document.eventId, type: 'payment.completed' } });
  }
  expect(String(headers['x-svc-signature']).match(/v1=/g)).toHaveLength(1);
  expect(headers).toMatchObject({ 'webhook-id': document.eventId, 'x-svc-sequence': expect.stringMatching(/^\d+$/) });
  await vi.waitFor(
    () => expect(listening.output()).toMatch(new RegExp(`payment\\.completed +${document.eventId}  200  \\d+ ms`)),
    PATIENCE,
  );
  expect(listening.output()).not.toContain(secretKey);
});

test('stopped and taken up again by the last event’s id: what came in between arrives, in order, and only wanted types', async () => {
  const receiver = await startReceiver();
  const first = await listen('--forward-to', receiver.url);
  const { document } = await trigger('payment_intent.created');
  await vi.waitFor(() => expect(receiver.arrived).toHaveLength(1), PATIENCE);
  const closed = once(first.child, 'close');
  first.child.kill('SIGTERM');
  expect((await closed)[0]).toBe(0);
  expect(first.output()).toContain(
    `1 forwarded, 0 of them not taken. Go on from here with --since ${document.eventId}.`,
  );

  for (const type of ['payment.created', 'payment.updated', 'payment.failed']) await trigger(type);
  const again = await startReceiver();
  const types = 'payment.created,payment.failed';
  const { exitCode } = await runSvc(
    merchant,
    'listen',
    '--forward-to',
    again.url,
    '--since',
    document.eventId,
    '--types',
    types,
    '--count',
    '2',
  );
  expect(exitCode).toBe(0);
  expect(again.typesOf()).toEqual(['payment.created', 'payment.failed']);
});

test('a receiver that refuses, or is not there, is told by its line and by the exit code', async () => {
  const broken = await startReceiver(500);
  const { document } = await trigger('payment.refunded');
  const since = ['--since', '1d', '--types', 'payment.refunded', '--count', '1'];
  const refused = await runSvc(merchant, 'listen', '--forward-to', broken.url, ...since);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toMatch(new RegExp(`${document.eventId}  500`));
  const nobody = await runSvc(merchant, 'listen', '--forward-to', `http://127.0.0.1:${await freePort()}/`, ...since);
  expect(nobody.exitCode).toBe(1);
  expect(nobody.stderr).toContain('nobody listens there');
});

test('events are listed newest first and sent again; what the API refuses is told in its words', async () => {
  const { document } = await trigger('payment.cancelled');
  const listed = await callSvc(merchant, 'events', 'list', '--type', 'payment.cancelled');
  expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(listed.stdout).toMatch(
    new RegExp(`payment\\.cancelled +${document.eventId} +pi_\\w+ +\\d+ +nobody subscribed`),
  );
  const endpoint = await fetch(`http://127.0.0.1:${port}/sdk/webhooks/endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/hooks', eventTypes: ['payment.cancelled'] }),
  });
  expect(endpoint.status).toBe(201);
  const resent = await askSvc(merchant, 'events', 'resend', document.eventId);
  expect(resent).toEqual({
    exitCode: 0,
    document: { event: document.eventId, deliveries: 1 },
  });
  const unknown = await askSvc(merchant, 'events', 'resend', 'evt_../../accounts');
  expect(unknown).toMatchObject({ exitCode: 1, document: { error: 'not_found' } });
  const stranger = { ...merchant, SVC_SECRET_KEY: 'sk_test_canary' };
  const refused = await callSvc(stranger, 'events', 'list');
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain('The API key is unknown');
  expect(refused.stderr).not.toContain('canary');
});

test('an API that is away is waited for, and a stop ends the waiting', async () => {
  const receiver = await startReceiver();
  const away = { ...merchant, SVC_API_URL: `http://127.0.0.1:${await freePort()}` };
  const started = startSvc(away, 'listen', '--forward-to', receiver.url);
  await vi.waitFor(() => expect(started.output()).toContain('Trying again; nothing is missed.'), PATIENCE);
  const closed = once(started.child, 'close');
  started.child.kill('SIGTERM');
  expect((await closed)[0]).toBe(0);
});
