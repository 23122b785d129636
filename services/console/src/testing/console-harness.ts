// A console for tests, on a database of its own with the rights of its group and no more, and browsers of people.
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PersonRole } from '@svc-pay/core';
import { createInvitation } from '@svc-pay/postgres/operator';
import { createLogin, createTestDatabase, insertRow, type TestDatabase } from '@svc-pay/postgres/testing';
import { newId } from '@svc-pay/protocol/ids';
import { createLogger } from '@svc-pay/runtime/logging';
import { afterAll } from 'vitest';
import { readConsoleConfig } from '../config.ts';
import { type StartOptions, startConsole } from '../start.ts';
import { type Authenticator, createAuthenticator, type Question } from './authenticator.ts';

export const ORIGIN = 'https://console.example.com';
const COOKIE = '__Host-svc_console';

type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Fields of whatever was answered. */
  readonly body: Record<string, unknown> & {
    readonly options: Question;
    readonly link: string;
    readonly error?: string;
  };
};
type Sent = { readonly body?: object; readonly headers?: Readonly<Record<string, string>>; readonly raw?: string };

/** Services behind the console that are already there, with their database. */
type Behind = { readonly database: TestDatabase; readonly apiUrl: string; readonly adminUrl: string };

/** Request as an upstream service received it. */
type Relayed = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};

/** Without `behind`, one upstream that keeps what it receives stands for the services. */
export async function createConsoleHarness(
  behind?: Behind,
  options: Pick<StartOptions, 'relayWithinMs' | 'requestWithinMs'> = {},
) {
  const { pool, url: ownerUrl } = behind?.database ?? (await createTestDatabase());
  const databaseUrl = await createLogin(pool, ownerUrl, 'svc_console');
  const upstream = await startUpstream();
  const read = readConsoleConfig({
    SVC_DATABASE_URL: databaseUrl,
    SVC_CONSOLE_URL: ORIGIN,
    SVC_CONSOLE_PORT: '0',
    SVC_CONSOLE_METRICS_PORT: '0',
    SVC_API_URL: behind?.apiUrl ?? upstream.url,
    SVC_ADMIN_URL: behind?.adminUrl ?? upstream.url,
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const time = { nowMs: Date.now() };
  const logs: string[] = [];
  const running = await startConsole(read.config, {
    ...options,
    clock: { nowMs: () => time.nowMs },
    logger: createLogger('console', 'info', { write: (line: string) => logs.push(line) }),
  });
  afterAll(async () => {
    await running.stop();
    await upstream.stop();
  });

  const newAccount = async () => {
    // Ids of one millisecond are in no order.
    time.nowMs += 1;
    const id = newId('account', time.nowMs);
    await insertRow(pool, 'accounts', { id, name: 'A shop' });
    return id;
  };
  /** As the operator's command makes it. */
  const invite = async (accountId: string, role: PersonRole, name = 'Grace Hopper') => {
    const token = randomBytes(32).toString('base64url');
    const tokenHash = createHash('sha256').update(token).digest();
    const operation = { pool, nowMs: time.nowMs, actor: 'operator:ada' };
    const made = await createInvitation(operation, { tokenHash, accountId, role, name });
    if (!made.ok) throw new Error(made.code);
    return token;
  };
  const newBrowser = (authenticator: Authenticator = createAuthenticator(ORIGIN)) =>
    browserOf(running.url, authenticator);
  /** Somebody who has accepted an invitation, and whose check is fresh. */
  const newMember = async (accountId: string, role: PersonRole) => {
    const browser = newBrowser();
    await browser.accept(await invite(accountId, role));
    const { body } = await browser.get('/me');
    return { ...browser, personId: (body['person'] as { id: string }).id };
  };
  return {
    pool,
    time,
    logs,
    url: running.url,
    metricsUrl: running.metricsUrl,
    upstream,
    newAccount,
    invite,
    newBrowser,
    newMember,
  };
}

function browserOf(url: string, authenticator: Authenticator) {
  const jar = { cookie: '' };
  // Each browser has an address of its own: limits are by address.
  const address = `10.${[...randomBytes(3)].join('.')}`;
  const send = async (method: string, path: string, { body, headers, raw }: Sent = {}): Promise<Answer> => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${url}/console/api${path}`, {
      method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': address,
        ...(jar.cookie !== '' && { cookie: jar.cookie }),
        ...(method !== 'GET' && { origin: ORIGIN, 'x-svc-console': '1' }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) jar.cookie = set.startsWith(`${COOKIE}=;`) ? '' : (set.split(';', 1)[0] ?? '');
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
  };
  const post = (path: string, body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    send('POST', path, { body, headers });
  return {
    jar,
    authenticator,
    send,
    post,
    get: (path: string) => send('GET', path),
    accept: async (token: string, passkeyName = 'Laptop') => {
      const { body } = await post('/invitations/accept/options', { token });
      const answer = authenticator.register(body.options);
      return post('/invitations/accept/verify', { token, answer, passkeyName });
    },
    signIn: async () => {
      const { body } = await post('/sign-in/options');
      return post('/sign-in/verify', { answer: authenticator.answer(body.options) });
    },
    check: async () => {
      const { body } = await post('/check/options');
      return post('/check/verify', { answer: authenticator.answer(body.options) });
    },
  };
}

/** Stands for the API and the admin service: answers as it is told, and keeps what it received. */
async function startUpstream() {
  const received: Relayed[] = [];
  type Told = {
    readonly status: number;
    readonly type?: string;
    readonly body: string;
    readonly headers?: Record<string, string>;
    /** The connection breaks before the answer ends. */
    readonly breaks?: true;
  };
  /** Undefined: no answer begins. */
  const behaviour: { answer: (request: Relayed) => Told | undefined } = { answer: () => ({ status: 200, body: '{}' }) };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const relayed = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(relayed);
      const told = behaviour.answer(relayed);
      if (told === undefined) return;
      const { status, type = 'application/json', body, headers: more, breaks } = told;
      response.writeHead(status, { 'content-type': type, ...more });
      if (breaks) response.write(body, () => response.destroy());
      else response.end(body);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    behaviour,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
