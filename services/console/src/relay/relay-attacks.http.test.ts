// What somebody who is signed in sends to get past the table of the relay: other paths, headers, bodies and methods, byte for byte.
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createConsoleHarness, ORIGIN } from '../testing/console-harness.ts';

const LIMIT_MS = 400;
const harness = await createConsoleHarness(undefined, { relayWithinMs: LIMIT_MS, requestWithinMs: LIMIT_MS });
const { upstream, url, newAccount, newMember } = harness;
const account = await newAccount();
const owner = await newMember(account, 'owner');
const API = `/console/api/accounts/${account}/test`;
const HOST = new URL(url).host;
afterEach(() => {
  upstream.behaviour.answer = () => ({ status: 200, body: '{}' });
});

type Raw = { readonly status: number; readonly text: string };
/** Writes `head` and `body` as they are. Status 0: the connection ended without an answer. */
const write = (head: readonly string[], body = '') => writeText(`${head.join('\r\n')}\r\n\r\n${body}`);
function writeText(sent: string): Promise<Raw> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(sent);
    });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text }));
  });
}
const headOf = (line: string, ...more: string[]) => [
  `${line} HTTP/1.1`,
  `Host: ${HOST}`,
  `Cookie: ${owner.jar.cookie}`,
  `Origin: ${ORIGIN}`,
  'X-SVC-Console: 1',
  'Connection: close',
  ...more,
];
const asJson = (body: string) => ['Content-Type: application/json', `Content-Length: ${body.length}`];
/** What the services behind received of it. */
async function passedOn(act: () => Promise<unknown>) {
  const before = upstream.received.length;
  await act();
  return upstream.received.slice(before);
}

test('a plain request by the same means is passed on', async () => {
  expect(await passedOn(() => write(headOf(`GET ${API}/sdk/payments?limit=1`)))).toMatchObject([
    { method: 'GET', url: '/sdk/payments?limit=1' },
  ]);
});

test.each([
  `${API}/sdk/payments/../../metrics`,
  `${API}/sdk/payments/..`,
  `${API}/sdk/payments/.`,
  `${API}/./sdk/payments`,
  `${API}/sdk/payments/%2e%2e/%2e%2e/metrics`,
  `${API}/sdk/payments/%252e%252e%252fmetrics`,
  `${API}/sdk/payments/a%2f..%2fb`,
  `${API}/sdk/payments/a%252fb`,
  `${API}/sdk/payments/a%5c..%5cb`,
  `${API}/sdk/payments/a\\..\\b`,
  `${API}\\sdk\\payments`,
  `${API}/sdk/payments;limit=1`,
  `${API};/sdk/payments`,
  `${API}/sdk/payments/a;b/refunds`,
  `${API}//evil.example.com/sdk/payments`,
  `${API}/sdk//payments`,
  `${API}/sdk/payments//`,
  `${API}/@evil.example.com/sdk/payments`,
  `${API}/:80@evil.example.com/sdk/payments`,
  `${API}/sdk/payments%00`,
  `${API}/sdk/payments%3flimit=1`,
  `${API}/sdk/payments%23`,
  `${API}/sdk/payments#frag`,
  `${API}/sdk/payments%0d%0ax-evil:%201`,
  `${API}/SDK/payments`,
  `${API}/%73dk/payments`,
  `/console/api/accounts/${account}/te%73t/sdk/payments`,
  `/console/api/accounts/%61${account.slice(1)}/test/sdk/payments`,
  `/console/api/accounts/${account}%2ftest/test/sdk/payments`,
  `/console/api/accounts/${account}/sdk/test/sdk/payments`,
  `/console/api/accounts//test/sdk/payments`,
  `/console/api/accounts/${account}/test/x/../sdk/payments`,
  `/console/api//accounts/${account}/test/sdk/payments`,
  `http://evil.example.com${API}/sdk/payments`,
  '/console/api/admin/../console/session-keys',
  '/console/api/admin/%2e%2e/console/session-keys',
  '/console/api/admin/accounts/..%2f..%2fconsole/session-keys',
  '/console/api/admin/accounts/x;/keys',
  '/console/api/admin//keys',
  '/console/api/admin/../metrics',
  '/console/api/admin',
])('GET %s reaches nothing behind the console', async (target) => {
  const answers: Raw[] = [];
  expect(await passedOn(async () => answers.push(await write(headOf(`GET ${target}`))))).toEqual([]);
  expect(answers[0]?.text).not.toContain('200 OK\r\ncontent-type: application/json');
});

test.each(['PUT', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND'])(
  '%s is no method of the relay',
  async (method) => {
    expect(await passedOn(() => write(headOf(`${method} ${API}/sdk/payments`)).catch(() => {}))).toEqual([]);
  },
);

test('a header can’t make another method of a request', async () => {
  const over = ['X-HTTP-Method-Override: DELETE', 'X-Method-Override: DELETE', 'X-HTTP-Method: DELETE'];
  const [passed] = await passedOn(() =>
    write(headOf(`GET ${API}/sdk/webhooks/endpoints/we_1?_method=DELETE`, ...over)),
  );
  expect(passed?.method).toBe('GET');
  expect(Object.keys(passed?.headers ?? {}).filter((name) => name.includes('method'))).toEqual([]);
});

/** Those that the relay sets, and those that any request of Node has. */
const KNOWN_HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'sec-fetch-mode',
  'user-agent',
  'x-account-id',
  'x-forwarded-for',
];

test('of a request the services behind get the body, three headers, and what the console itself says', async () => {
  const body = '{"limit":1}';
  const smuggled = [
    'Authorization: Bearer sk_live_stolen',
    'Proxy-Authorization: Basic eDp5',
    'X-Account-Id: acct_other',
    'X-SVC-Actor: operator:eve',
    'X-SVC-Internal-Key: x',
    'X-Forwarded-For: 10.1.2.3',
    'X-Forwarded-Host: evil.example.com',
    'X-Forwarded-Proto: http',
    'Forwarded: for=10.9.9.9',
    'X-Real-IP: 10.9.9.9',
    'X-Payment: e30=',
    'Payment-Signature: e30=',
    'Trailer: Authorization',
    'Upgrade: websocket',
    'Expect: 100-continue',
    'Keep-Alive: authorization',
    'Connection: idempotency-key, authorization',
    'Idempotency-Key: once',
    'Accept: application/json',
    'User-Agent: evil',
  ];
  const send = () =>
    write(headOf(`POST ${API}/sdk/events/evt_1/resend`, ...smuggled, ...asJson(body)), body).then(
      () => undefined,
      () => undefined,
    );
  const [passed, ...more] = await passedOn(send);
  expect(more).toEqual([]);
  expect(passed?.body).toBe(body);
  const headers = passed?.headers ?? {};
  expect(Object.keys(headers).filter((name) => !KNOWN_HEADERS.includes(name))).toEqual([]);
  expect(headers).toMatchObject({
    host: new URL(upstream.url).host,
    'x-account-id': account,
    'idempotency-key': 'once',
    accept: 'application/json',
    'x-forwarded-for': '10.1.2.3',
  });
  expect(headers['authorization']).toMatch(/^Bearer sk_test_/);
  expect(headers['user-agent']).not.toBe('evil');
});

test.each([
  ['two lengths', ['Content-Length: 2', 'Content-Length: 4'], '{}{}'],
  ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ['an encoding that is none', ['Transfer-Encoding: xchunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ['chunks twice', ['Transfer-Encoding: chunked, identity'], '2\r\n{}\r\n0\r\n\r\n'],
  ['a header that is folded', ['Transfer-Encoding:', ' chunked'], '2\r\n{}\r\n0\r\n\r\n'],
])('a request with %s is not passed on', async (_, headers, body) => {
  const head = headOf(`POST ${API}/sdk/events/evt_1/resend`, 'Content-Type: application/json', ...headers);
  const answers: Raw[] = [];
  expect(await passedOn(async () => answers.push(await write(head, body)))).toEqual([]);
  expect(answers[0]?.status).toBe(400);
});

test.each([
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
  ['application/jsonx', 415],
  ['text/json', 415],
  ['', 415],
])('a body of type %j is refused', async (type, status) => {
  const head = headOf(
    `POST ${API}/sdk/events/evt_1/resend`,
    ...(type ? [`Content-Type: ${type}`] : []),
    'Content-Length: 2',
  );
  const answers: Raw[] = [];
  expect(await passedOn(async () => answers.push(await write(head, '{}')))).toEqual([]);
  expect(answers[0]?.status).toBe(status);
});

test('a body that says it is too large is refused before any of it is sent', async () => {
  const head = headOf(`POST ${API}/sdk/events/evt_1/resend`, 'Content-Type: application/json', 'Content-Length: 65537');
  const answer = await write(head);
  expect([answer.status, answer.text.includes('payload_too_large')]).toEqual([413, true]);
});

test('a body that grows too large is refused, and nothing of it is passed on', async () => {
  const chunk = `8000\r\n${'x'.repeat(0x80_00)}\r\n`;
  const head = headOf(
    `POST ${API}/sdk/events/evt_1/resend`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  );
  const answers: Raw[] = [];
  expect(
    await passedOn(async () =>
      answers.push(await write(head, chunk.repeat(3)).catch(() => ({ status: 413, text: '' }))),
    ),
  ).toEqual([]);
  expect(answers[0]?.status).toBe(413);
});

test.each([
  [
    'a body that does not come',
    `${headOf(`POST ${API}/sdk/events/evt_1/resend`, ...asJson('x'.repeat(99))).join('\r\n')}\r\n\r\n{`,
  ],
  ['a head that does not end', headOf(`GET ${API}/sdk/payments`, 'X-Slow: ').join('\r\n')],
])('%s is waited for until a limit', async (_, text) => {
  const answers: Raw[] = [];
  expect(await passedOn(async () => answers.push(await writeText(text)))).toEqual([]);
  expect(answers[0]?.status).not.toBe(200);
});

test('a service that does not begin to answer is not waited for, and neither is the one that makes keys', async () => {
  upstream.behaviour.answer = () => undefined;
  expect(await owner.get(`/accounts/${account}/test/sdk/payments`)).toMatchObject({
    status: 502,
    body: { error: 'upstream_unavailable' },
  });
  upstream.behaviour.answer = ({ url: asked }) =>
    asked === '/console/session-keys' ? undefined : { status: 401, body: '{"error":"key_invalid"}' };
  expect(await owner.get(`/accounts/${account}/test/sdk/payments`)).toMatchObject({
    status: 502,
    body: { error: 'upstream_unavailable' },
  });
  expect(harness.logs.join('')).not.toContain(owner.jar.cookie.split('=')[1] ?? 'no cookie');
});

test('an answer that breaks off is not shown as a whole one', async () => {
  upstream.behaviour.answer = () => ({ status: 200, body: '{"payments":[]', breaks: true });
  await expect(owner.get(`/accounts/${account}/test/sdk/exports/payments`)).rejects.toThrow();
});

test('of an answer the page gets its body and named headers', async () => {
  upstream.behaviour.answer = () => ({
    status: 401,
    body: '{"error":"other"}',
    headers: {
      'set-cookie': `${owner.jar.cookie}; Path=/`,
      location: 'https://evil.example.com',
      refresh: '0; url=https://evil.example.com',
      link: '<https://evil.example.com>; rel=preload',
      'clear-site-data': '"*"',
      'access-control-allow-origin': '*',
      'content-security-policy': 'default-src *',
      'cache-control': 'public, max-age=9999',
      'www-authenticate': 'Basic',
      'service-worker-allowed': '/',
      'x-evil': '1',
    },
  });
  const { headers } = await owner.get(`/admin/keys?accountId=${account}`);
  for (const name of [
    'set-cookie',
    'location',
    'refresh',
    'link',
    'clear-site-data',
    'access-control-allow-origin',
    'www-authenticate',
    'service-worker-allowed',
    'x-evil',
  ])
    expect([name, headers.get(name)]).toEqual([name, null]);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
});
