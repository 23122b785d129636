// The real nginx, HAProxy and Caddy with the site of the console in `deploy`, before something that tells what it received.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { missing, PROXY_KINDS, startProxy } from './start-proxy.ts';

const CLIENT = '127.0.0.77';
const NAME = 'console.pay.example';

async function startUpstream() {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((asked, response) => {
    received.push(asked.headers);
    asked.resume();
    response.writeHead(200, { 'strict-transport-security': 'max-age=31536000', 'set-cookie': '__Host-svc_console=a' });
    response.end('ok');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  return { port: (server.address() as AddressInfo).port, received };
}

async function send(port: number, headers: Readonly<Record<string, string>>, body?: string) {
  const sent = request({
    host: '127.0.0.1',
    port,
    path: '/console/api/me',
    localAddress: CLIENT,
    agent: false,
    method: body === undefined ? 'GET' : 'POST',
    headers,
  });
  sent.end(body);
  const [response] = await once(sent, 'response');
  response.resume();
  return { status: response.statusCode as number, headers: response.headers as IncomingHttpHeaders };
}

const started = await Promise.all(
  (missing === '' ? PROXY_KINDS : []).map(async (kind) => {
    const upstream = await startUpstream();
    return { kind, upstream, port: await startProxy(kind, upstream.port, 'console') };
  }),
);

describe.skipIf(missing !== '')(missing === '' ? 'with the proxies' : `skipped: ${missing}`, () => {
  describe.each(started)('$kind before the console', ({ kind, upstream, port }) => {
    // Caddy serves the test at an address.
    const hostOf = () => (kind === 'caddy' ? `127.0.0.1:${port}` : NAME);

    test('requests are passed on with the client’s address last, and answers as they are', async () => {
      const origin = `https://${NAME}`;
      const given = { host: hostOf(), origin, 'x-svc-console': '1', 'x-forwarded-for': '6.6.6.6' };
      const { status, headers } = await send(port, given);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'strict-transport-security': 'max-age=31536000',
        'set-cookie': ['__Host-svc_console=a'],
      });
      expect(upstream.received.at(-1)).toMatchObject({ origin, 'x-svc-console': '1' });
      const forwarded = String(upstream.received.at(-1)?.['x-forwarded-for']).split(',');
      expect(forwarded.at(-1)?.trim()).toBe(CLIENT);
    });

    test('a body that is too large does not reach the console', async () => {
      const before = upstream.received.length;
      expect((await send(port, { host: hostOf() }, 'x'.repeat(130_000))).status).toBe(413);
      expect(upstream.received).toHaveLength(before);
    });
  });
});
