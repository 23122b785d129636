import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { type Certificate, makeCertificate } from '../testing/certificate.ts';
import { startDeliveryWorld } from '../testing/delivery-world.ts';
import { startNameServer } from '../testing/name-server.ts';
import { afterwards } from '../testing/receiver.ts';

const nameServer = await startNameServer();
nameServer.names.set('shop.test', ['127.0.0.1']);
nameServer.names.set('other.test', ['127.0.0.1']);
const trusted = makeCertificate('shop.test');
const world = await startDeliveryWorld({
  environment: { SVC_WEBHOOKS_DNS_SERVERS: nameServer.address },
  ca: trusted.cert,
});

async function startSecure(certificate: Certificate) {
  const names: (string | undefined)[] = [];
  const server = createServer(certificate, (request, response) => {
    names.push(request.headers.host);
    request.resume().on('end', () => response.writeHead(200).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, names };
}

async function attemptAt(url: string) {
  const endpoint = await world.shop.addEndpoint({ url, retryCount: 0 });
  const event = await world.shop.emit([endpoint], { atMs: world.clock.nowMs() });
  await world.settle();
  return (await world.attempts(event))[0];
}

test('a certificate for the name is good, and every phase is timed', async () => {
  const { port, names } = await startSecure(trusted);
  const attempt = await attemptAt(`https://shop.test:${port}/`);
  expect(attempt).toMatchObject({ outcome: 'succeeded', response_status: 200, address: '127.0.0.1' });
  for (const phase of ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms'] as const) {
    expect(attempt?.[phase], phase).toBeGreaterThanOrEqual(0);
  }
  expect(names).toEqual([`shop.test:${port}`]);
});

test('one for another name is not, and nothing is sent', async () => {
  const { port, names } = await startSecure(trusted);
  const attempt = await attemptAt(`https://other.test:${port}/`);
  expect(attempt).toMatchObject({ outcome: 'unreachable', error: expect.stringContaining('ALTNAME') });
  expect(names).toEqual([]);
});

test('one that nobody vouches for is not, and nothing is sent', async () => {
  const { port, names } = await startSecure(makeCertificate('shop.test'));
  expect(await attemptAt(`https://shop.test:${port}/`)).toMatchObject({ outcome: 'unreachable' });
  expect(names).toEqual([]);
});
