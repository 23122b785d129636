import fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { trustProxies } from './trust-proxies.ts';

/** The client's address of a request from `socket`, with the lines of X-Forwarded-For in the order of their arrival. */
async function clientOf(proxies: readonly string[], hops: number, socket: string, ...lines: readonly string[]) {
  const app = fastify({ trustProxy: trustProxies(proxies, hops) });
  app.get('/', (request, reply) => reply.send(request.ip));
  const headers = lines.length > 0 ? { 'x-forwarded-for': lines.join(', ') } : {};
  return (await app.inject({ url: '/', remoteAddress: socket, headers })).body;
}

const PROXIES = ['10.0.0.0/24'];
const [OUTER, INNER, CLIENT] = ['10.0.0.1', '10.0.0.2', '203.0.113.9'];

describe('what a client wrote itself never becomes its address', () => {
  test.each([
    ['one proxy that adds', 1, OUTER, ['6.6.6.6', CLIENT]],
    ['one proxy that replaces', 1, OUTER, [CLIENT]],
    ['the client pretends to be a proxy', 1, OUTER, ['6.6.6.6', INNER, CLIENT]],
    ['two proxies that add', 2, INNER, ['6.6.6.6', CLIENT, OUTER]],
    ['two proxies, and the outer one replaces', 2, INNER, [CLIENT, OUTER]],
    ['the client reaches the inner of two proxies', 2, INNER, ['6.6.6.6', CLIENT]],
    ['the client reaches the API itself', 2, CLIENT, ['6.6.6.6', OUTER]],
  ] as const)('%s', async (_, hops, socket, lines) => {
    expect(await clientOf(PROXIES, hops, socket, ...lines)).toBe(CLIENT);
  });

  test('a client whose own address is in a listed range', async () => {
    expect(await clientOf(PROXIES, 1, OUTER, '6.6.6.6', '10.0.0.77')).toBe('10.0.0.77');
  });
});

test('with fewer hops than proxies all clients are the outer proxy, and none is believed', async () => {
  expect(await clientOf(PROXIES, 1, INNER, '6.6.6.6', CLIENT, OUTER)).toBe(OUTER);
});

test('a proxy that is seen by IPv6 notation of its IPv4 address is the same proxy', async () => {
  expect(await clientOf(PROXIES, 1, '::ffff:10.0.0.1', CLIENT)).toBe(CLIENT);
});

test.each(['::ffff:10.0.0.1', '::ffff:10.0.0.0/120', '::ffff:a00:1'])(
  'and so is one that is listed as %s',
  async (listed) => {
    for (const socket of [OUTER, `::ffff:${OUTER}`]) expect(await clientOf([listed], 1, socket, CLIENT)).toBe(CLIENT);
    expect(await clientOf([listed], 1, '10.0.1.1', CLIENT)).toBe('10.0.1.1');
  },
);

test('without the header the proxy is the client', async () => {
  expect(await clientOf(PROXIES, 1, OUTER)).toBe(OUTER);
});
