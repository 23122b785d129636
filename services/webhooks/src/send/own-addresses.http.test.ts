import type { NetworkInterfaceInfo } from 'node:os';
import { isDeniedAddress } from '@svc-pay/core';
import { expect, test, vi } from 'vitest';
import { startDeliveryWorld } from '../testing/delivery-world.ts';
import { watchDialledAddresses } from '../testing/dialled-addresses.ts';
import { startNameServer } from '../testing/name-server.ts';
import { createOwnAddresses } from './own-addresses.ts';

// Mocks the network interfaces of a machine with public addresses.
const machine = vi.hoisted(() => ({ addresses: ['93.184.215.14', '2606:2800:21f:cb07::1'] }));
vi.mock(import('node:os'), async (original) => ({
  ...(await original()),
  networkInterfaces: () => ({ eth0: machine.addresses.map((address) => ({ address }) as NetworkInterfaceInfo) }),
}));

const { dialled } = watchDialledAddresses();
const nameServer = await startNameServer();
const world = await startDeliveryWorld({
  environment: { SVC_WEBHOOKS_ALLOW_LOOPBACK: 'off', SVC_WEBHOOKS_DNS_SERVERS: nameServer.address },
});

async function outcomeOf(url: string) {
  const databasePort = new URL(world.pool.options.connectionString ?? '').port;
  dialled.length = 0;
  const endpoint = await world.shop.addEndpoint({ url, retryCount: 0, timeoutSeconds: 1 });
  const event = await world.shop.emit([endpoint], { atMs: world.clock.nowMs() });
  await world.settle();
  const [attempt] = await world.attempts(event);
  return {
    outcome: attempt?.outcome,
    dialled: dialled.filter((address) => !address.endsWith(`:${databasePort}`)),
  };
}

test.each([
  ['its IPv4 address', 'http://93.184.215.14/'],
  ['its IPv6 address', 'http://[2606:2800:21f:cb07::1]/'],
  ['its IPv4 address in IPv6', 'http://[::ffff:93.184.215.14]/'],
  ['a name that leads to it', 'http://ours.test/'],
  ['a name that leads to it and elsewhere', 'http://both.test/'],
])('this machine is not dialled, although it is on the internet: %s', async (_, url) => {
  nameServer.names.set('ours.test', ['93.184.215.14']);
  nameServer.names.set('both.test', ['93.184.215.15', '2606:2800:21f:cb07::1']);
  expect(await outcomeOf(url)).toEqual({ outcome: 'blocked', dialled: [] });
});

test('its neighbour may be', () => {
  const policy = { allowLoopback: false, alsoDenied: createOwnAddresses()() };
  expect(isDeniedAddress('93.184.215.14', policy)).toBe(true);
  expect(isDeniedAddress('93.184.215.15', policy)).toBe(false);
});
