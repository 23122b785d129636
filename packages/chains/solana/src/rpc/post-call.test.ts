import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ChainUnavailable } from '@svc-pay/core';
import { afterEach, expect, test } from 'vitest';
import { openNode } from './solana-node.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an answer that stops in its middle, one that never begins and one from elsewhere are no answers', async () => {
  const cut = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"jsonrpc"');
    setTimeout(() => response.destroy(), 20);
  });
  await expect(openNode(cut).slot('confirmed')).rejects.toThrow(ChainUnavailable);
  const silent = await serve(() => {});
  await expect(openNode(silent, 100).slot('confirmed')).rejects.toThrow('TimeoutError');
  const elsewhere = await serve((_, response) => response.writeHead(302, { location: cut }).end());
  await expect(openNode(elsewhere).slot('confirmed')).rejects.toThrow('HTTP 302');
  await expect(openNode('http://127.0.0.1:1').slot('confirmed')).rejects.toThrow('ECONNREFUSED');
});
