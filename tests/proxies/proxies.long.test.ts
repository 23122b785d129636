// The real API behind real nginx, HAProxy and Caddy with the files of `deploy`, alone and two in a row.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import {
  CREATE,
  call,
  cancelPath,
  intentPath,
  PEPPER,
  readEvents,
  startTestApi,
  type TestApi,
} from '@svc-pay/api/testing';
import { addressHash, dayOf } from '@svc-pay/core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { missing, PROXY_KINDS, type ProxyKind, startProxy } from './start-proxy.ts';

/** All of loopback is this machine: proxies connect from 127.0.0.1, clients from other addresses. */
const CLIENT = '127.0.0.77';
/** In the operator's range itself, as a client in a private network may be. */
const NEIGHBOUR = '127.0.0.2';
const PROXIES = { SVC_API_TRUSTED_PROXIES: '127.0.0.0/29' };
const FORGED: readonly (readonly string[])[] = [
  [],
  ['6.6.6.6'],
  ['6.6.6.6, 127.0.0.1'],
  ['6.6.6.6', '7.7.7.7', '127.0.0.1'],
];
const PAIRS = PROXY_KINDS.flatMap((outer) => PROXY_KINDS.map((inner) => ({ outer, inner })));

type Sent = {
  readonly port: number;
  readonly path?: string;
  readonly from?: string;
  readonly forwarded?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

async function send({ port, path = '/nowhere', from = CLIENT, forwarded = [], headers = {}, body }: Sent) {
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    localAddress: from,
    agent: false,
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(forwarded.length > 0 && { 'x-forwarded-for': [...forwarded] }), 'x-real-ip': '6.6.6.6' },
  });
  if (headers['content-length'] === undefined) sent.end(body);
  else sent.write(body ?? '');
  onTestFinished(() => void sent.destroy());
  const [response] = await once(sent, 'response');
  response.resume();
  return { status: response.statusCode as number, requestId: String(response.headers['x-request-id']) };
}

const portOf = ({ url }: TestApi) => Number(new URL(url).port);

/** The name that the API gave to the client of this request. */
async function clientSeen(api: TestApi, sent: Sent): Promise<string> {
  const { requestId } = await send(sent);
  const lineOf = () => api.logs.find((each) => each.includes(requestId) && each.includes('request_finished'));
  await expect.poll(lineOf).toBeDefined();
  return (JSON.parse(lineOf() ?? '{}') as { addressHash: string }).addressHash;
}
const hashOf = (address: string) => addressHash(PEPPER, address, dayOf(Date.now()));

async function expectNoForgery(api: TestApi, port: number): Promise<void> {
  for (const from of [CLIENT, NEIGHBOUR]) {
    for (const forwarded of FORGED) {
      expect(await clientSeen(api, { port, from, forwarded }), forwarded.join(' | ')).toBe(hashOf(from));
    }
  }
}

const named = missing === '' ? 'behind real proxies' : `skipped, proxies are missing: ${missing}`;
describe.skipIf(missing !== '')(named, () => {
  let [behindOne, behindTwo]: (TestApi | undefined)[] = [];
  const alone = new Map<ProxyKind, number>();
  const inner = new Map<ProxyKind, number>();
  const portTo = (ports: ReadonlyMap<ProxyKind, number>, kind: ProxyKind) => ports.get(kind) ?? 0;
  const started = (api: TestApi | undefined): TestApi => {
    if (api === undefined) throw new Error('the API did not start');
    return api;
  };

  beforeAll(async () => {
    const settings = { ...PROXIES, SVC_API_STREAM_HEARTBEAT_MS: '200' };
    behindOne = await startTestApi({ ...settings, SVC_API_TRUSTED_HOPS: '1' });
    behindTwo = await startTestApi({ ...settings, SVC_API_TRUSTED_HOPS: '2' });
    for (const kind of PROXY_KINDS) {
      alone.set(kind, await startProxy(kind, portOf(behindOne), 'alone'));
      inner.set(kind, await startProxy(kind, portOf(behindTwo), 'inner'));
    }
  });

  test.each(PROXY_KINDS)('%s: what a client forges is not its address', async (kind) => {
    await expectNoForgery(started(behindOne), portTo(alone, kind));
  });

  test.each(PAIRS)('$outer before $inner: what a client forges is not its address', async (pair) => {
    const port = await startProxy(pair.outer, portTo(inner, pair.inner), 'outer');
    await expectNoForgery(started(behindTwo), port);
  });

  test.each(PROXY_KINDS)('%s: with a hop too few all clients are one, and none is believed', async (kind) => {
    const port = await startProxy(kind, portTo(alone, kind), 'outer');
    const api = started(behindOne);
    const seen = await clientSeen(api, { port, forwarded: ['6.6.6.6'] });
    expect(seen).toBe(hashOf('127.0.0.1'));
  });

  test.each(PROXY_KINDS)('%s: events of a stream arrive one by one', async (kind) => {
    const api = started(behindOne);
    const { publishable: key, secret } = api.account.keys.test;
    const { paymentIntentId: id } = (await call(api, 'POST', CREATE, { key, body: { usdAmount: 1 } })).json();
    const url = `http://127.0.0.1:${portTo(alone, kind)}${intentPath(id)}/stream?publishableKey=${key}`;
    const reader = await readEvents(url);
    onTestFinished(reader.close);
    expect((await reader.next(2_000))?.event).toBe('payment_intent_update');
    await expect.poll(reader.comments, { timeout: 3_000 }).toBeGreaterThanOrEqual(2);
    await call(api, 'POST', cancelPath(id), { key: secret });
    expect(JSON.parse((await reader.next(3_000))?.data ?? '{}')).toMatchObject({
      paymentIntent: { status: 'canceled' },
    });
    expect((await reader.next(3_000))?.event).toBe('terminal');
  });

  test.each(PROXY_KINDS)('%s: bodies and headers pass up to the limits of the API, and no further', async (kind) => {
    const port = portTo(alone, kind);
    const key = started(behindOne).account.keys.test.publishable;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const statusOf = async (sent: Omit<Sent, 'port'>) => (await send({ port, ...sent })).status;
    const body = (bytes: number) => JSON.stringify({ usdAmount: 1, note: 'x'.repeat(bytes) });
    expect(await statusOf({ path: CREATE, headers, body: body(65_000) })).toBe(402);
    expect(await statusOf({ path: CREATE, headers, body: body(66_000) })).toBe(413);
    // Only announced: a proxy refuses it by its length, and closes while a client still sends.
    const large = { ...headers, 'content-length': '2000000' };
    expect(await statusOf({ path: CREATE, headers: large, body: '{' })).toBe(413);
    expect(await statusOf({ headers: { 'payment-signature': 'x'.repeat(12_000) } })).toBe(404);
    expect([400, 431]).toContain(await statusOf({ headers: { 'payment-signature': 'x'.repeat(40_000) } }));
  });

  test.each(PROXY_KINDS)('%s: /ready is not for the internet', async (kind) => {
    for (const path of ['/ready', '/%72eady', '/ready?x=1']) {
      const answer = await send({ port: portTo(alone, kind), path });
      expect(answer, path).toEqual({ status: 404, requestId: 'undefined' });
    }
  });

  test.concurrent.each(PROXY_KINDS)('%s: a client that never ends its headers is let go', async (kind) => {
    const socket = connect(portTo(alone, kind), '127.0.0.1');
    const from = Date.now();
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nhost: pay.example\r\n');
    socket.resume();
    await once(socket, 'close');
    expect(Date.now() - from).toBeGreaterThan(8_000);
    expect(Date.now() - from).toBeLessThan(15_000);
  });

  test('a settle may wait as long as its setting allows', () => {
    const [, longestMs = ''] =
      /`SVC_SETTLE_WAIT_MS` \| a whole number, 0 to (\d+)/.exec(pageOf('docs/reference/config.md')) ?? [];
    const waits = [
      /proxy_read_timeout (\d+)s/.exec(pageOf('deploy/nginx/svc-pay.conf')),
      /timeout server (\d+)s/.exec(pageOf('deploy/haproxy/haproxy.cfg')),
      /response_header_timeout (\d+)s/.exec(pageOf('deploy/caddy/Caddyfile')),
    ];
    for (const wait of waits) expect(Number(wait?.[1]) * 1_000).toBeGreaterThan(Number(longestMs));
  });
});

const pageOf = (file: string) => readFileSync(file, 'utf8');
