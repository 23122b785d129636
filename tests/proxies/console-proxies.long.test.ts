// The real nginx, HAProxy and Caddy with the site of the console in `deploy`, before something that tells what it received.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
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
  onTestFinished(() => void server.close());
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
    // Caddy serves the test at an address.
    headers,
  });
  sent.end(body);
  const [response] = await once(sent, 'response');
  response.resume();
  return { status: response.statusCode as number, headers: response.headers as IncomingHttpHeaders };
}

describe.skipIf(missing !== '')(missing === '' ? 'with the proxies' : `skipped: ${missing}`, () => {
  test.each(PROXY_KINDS)(
    '%s passes requests of the console on with the client’s address last, and refuses what is too large',
    async (kind) => {
      const upstream = await startUpstream();
      const port = await startProxy(kind, upstream.port, 'console');
      const host = kind === 'caddy' ? `127.0.0.1:${port}` : NAME;
      const origin = `https://${NAME}`;
      const { status, headers } = await send(port, {
        host,
        origin,
        'x-svc-console': '1',
        'x-forwarded-for': '6.6.6.6',
      });
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'strict-transport-security': 'max-age=31536000',
        'set-cookie': ['__Host-svc_console=a'],
      });
      expect(upstream.received.at(-1)).toMatchObject({ origin, 'x-svc-console': '1' });
      const forwarded = String(upstream.received.at(-1)?.['x-forwarded-for']).split(',');
      expect(forwarded.at(-1)?.trim()).toBe(CLIENT);
      const before = upstream.received.length;
      expect((await send(port, { host }, 'x'.repeat(130_000))).status).toBe(413);
      expect(upstream.received).toHaveLength(before);
    },
  );
});
