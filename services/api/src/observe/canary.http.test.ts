// Gives unique secrets to a real process, then searches everything that it wrote for them.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeApiKey } from '@svc-pay/core';
import { createTestDatabase, type TestDatabase } from '@svc-pay/postgres/testing';
import type { Acceptance, EvmPaymentHeader } from '@svc-pay/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { CREATE, cancelPath, intentPath, NOTIFY, SETTLE } from '../testing/call.ts';
import { readEvents } from '../testing/read-events.ts';
import { addKey, NETWORKS, seedAccount } from '../testing/seed-account.ts';
import { newPayer, signHeader } from '../testing/sign-header.ts';
import { startApiProcess } from '../testing/start-api-process.ts';
import { startFakeNode } from '../testing/start-fake-node.ts';
import { testEnvironment } from '../testing/start-test-api.ts';

const canary = (name: string) => `canary-${name}-${randomBytes(16).toString('hex')}`;

test('no secret is in logs, answers, metrics, traces or the database', async () => {
  const database = await createTestDatabase();
  const pepper = Buffer.from(canary('pepper'));
  const password = canary('password');
  const role = `api_${randomBytes(6).toString('hex')}`;
  await database.pool.query(`create role ${role} login password '${password}' in role svc_api`);
  onTestFinished(async () => void (await database.pool.query(`drop role ${role}`)));
  const { keys, accountId } = await seedAccount(database.pool, pepper);
  const revoked = await addKey(database.pool, accountId, 'secret', 'live', pepper, { revoked_at: new Date() });
  const unknown = makeApiKey('secret', 'live', randomBytes);
  const shown = { bearer: canary('bearer'), cookie: canary('cookie'), query: canary('query') };
  const traces: string[] = [];
  const collector = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => traces.push(chunk.toString('latin1'))).on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => void collector.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void collector.close());

  const rpc = { dead: canary('rpc-dead'), alive: canary('rpc-alive') };
  const networks = {
    ...NETWORKS,
    'eip155:84532': { ...NETWORKS['eip155:84532'], rpcUrls: [`http://127.0.0.1:9/v3/${rpc.dead}`] },
    'eip155:31337': { ...NETWORKS['eip155:31337'], rpcUrls: [`${await startFakeNode()}/v3/${rpc.alive}`] },
  };
  const url = new URL(database.url);
  url.username = role;
  url.password = password;
  const api = await startApiProcess({
    ...testEnvironment(url.href),
    SVC_KEY_PEPPER: pepper.toString('base64'),
    SVC_LOG_LEVEL: 'trace',
    SVC_NETWORKS: JSON.stringify(networks),
    SVC_SETTLE_WAIT_MS: '0',
    SVC_ENGINE_INGRESS_URL: 'http://127.0.0.1:9',
    SVC_TRACE_URL: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
  });
  const answers: string[] = [];
  const send = async (path: string, init: RequestInit = {}): Promise<string> => {
    const response = await fetch(`${api.url}${path}`, init);
    const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
    answers.push(text);
    return text;
  };
  const bearer = (key: string) => ({
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    cookie: shown.cookie,
  });
  const everyKey = [...Object.values(keys.test), ...Object.values(keys.live), revoked, unknown, shown.bearer];

  for (const key of everyKey) {
    const headers = bearer(key);
    const created = await send(CREATE, { method: 'POST', headers, body: '{"usdAmount":1}' });
    const id = /pi_[0-9a-z]{26}/.exec(created)?.[0] ?? 'pi_none';
    await send(CREATE, { method: 'POST', headers, body: '{"usdAmount":' });
    await send(CREATE, { method: 'POST', headers, body: 'x'.repeat(70_000) });
    await send(intentPath(id), { headers });
    await send(`${intentPath(id)}?publishableKey=${key}`);
    await send(`/nowhere?publishableKey=${key}`);
    await send(`/%zz?publishableKey=${key}`);
    await send(cancelPath(id), { method: 'POST', headers });
    const stream = await readEvents(`${api.url}${intentPath(id)}/stream?publishableKey=${key}`);
    answers.push((await stream.next())?.data ?? '');
    await stream.close();
  }
  const payer = newPayer();
  const sent: string[] = [];
  const refused: string[] = [];
  const settle = async (tokenShortcode: string, signature?: `0x${string}`): Promise<string> => {
    const headers = bearer(keys.test.publishable);
    const body = JSON.stringify({ usdAmount: 1, tokenShortcode });
    const created = await fetch(`${api.url}${CREATE}`, { method: 'POST', headers, body });
    const { paymentIntentId, accepts } = (await created.json()) as { paymentIntentId: string; accepts: [Acceptance] };
    const paymentHeader = await signHeader(payer, accepts[0], signature === undefined ? {} : { signature });
    const { payload } = JSON.parse(Buffer.from(paymentHeader, 'base64').toString()) as EvmPaymentHeader;
    sent.push(paymentHeader, payload.signature.slice(2), payload.authorization.nonce.slice(2));
    if (signature !== undefined) refused.push(payload.signature.slice(2), payload.authorization.nonce.slice(2));
    const request = JSON.stringify({ paymentIntentId, paymentHeader, paymentRequirements: accepts[0] });
    const answer = await send(SETTLE, { method: 'POST', headers, body: request });
    await send(SETTLE, { method: 'POST', headers, body: `${request.slice(0, -1)},` });
    await send(NOTIFY, {
      method: 'POST',
      headers,
      body: JSON.stringify({ paymentIntentId, transactionId: paymentHeader }),
    });
    return answer;
  };
  const noSignature = () => `0x${randomBytes(65).toString('hex')}` as const;
  expect(await settle('anvil_usdc')).toContain('"processing"');
  expect(await settle('anvil_usdc', noSignature())).toContain('invalid_signature');
  expect(await settle('basesepolia_usdc', noSignature())).toContain('chain_unavailable');
  await send(`${intentPath('pi_x')}?publishableKey=${shown.query}`);
  for (const path of ['/health', '/ready', '/openapi.json', '/reference']) await send(path);
  // A failure in the middle of a statement logs an exception with all its properties.
  await database.pool.query('alter table svc.acceptances rename to acceptances_away');
  const fault = await send(CREATE, { method: 'POST', headers: bearer(keys.test.secret), body: '{"usdAmount":1}' });
  expect(fault).toContain('internal_error');
  expect(fault).not.toContain('acceptances');
  await database.pool.query('alter table svc.acceptances_away rename to acceptances');
  const metrics = await (await fetch(api.metricsUrl)).text();
  expect(await api.kill('SIGTERM')).toBe(0);

  const written = { logs: api.output(), answers: answers.join('\n'), metrics, traces: traces.join('') };
  expect(written.logs).toContain('acceptances');
  expect(written.logs).toContain('"event":"chain_read_failed"');
  expect(written.traces).toContain('GET /sdk/public/payments/intents/:intentId');
  const forms = (secret: string) => [
    secret,
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('hex'),
  ];
  const secrets = [
    pepper.toString(),
    password,
    ...Object.values(shown),
    ...Object.values(rpc),
    ...sent,
    ...everyKey.map((key) => key.slice(8)),
  ];
  for (const [where, text] of Object.entries(written)) {
    const found = secrets.flatMap(forms).filter((form) => text.includes(form));
    expect(found, where).toEqual([]);
  }

  const dump = await dumpOf(database);
  expect(dump).toContain('payment_intent.created');
  const kept = [
    pepper.toString(),
    password,
    ...Object.values(shown),
    ...Object.values(rpc),
    ...refused,
    keys.test.secret,
    keys.live.secret,
    revoked,
    unknown,
  ];
  expect(kept.flatMap(forms).filter((form) => dump.includes(form))).toEqual([]);
});

/** Dumps every row of every table as text; bytes as hex and, where readable, also as text. */
async function dumpOf({ pool }: TestDatabase): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'svc'",
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ line: string }>(`select entry::text as line from ${name} entry`);
    for (const { line } of rows) {
      const bytes = [...line.matchAll(/\\x((?:[0-9a-f]{2})+)/g)].map(([, hex = '']) =>
        Buffer.from(hex, 'hex').toString(),
      );
      parts.push(line, ...bytes);
    }
  }
  return parts.join('\n');
}
