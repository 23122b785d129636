import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ChainUnavailable } from '@svc-pay/core';
import { afterEach, expect, test } from 'vitest';
import { postBody } from './post-body.ts';
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

test('an answer without an end is cut off at the bound, and its connection is closed', async () => {
  let written = 0;
  const closed = Promise.withResolvers<void>();
  const url = await serve((_, response) => {
    response.on('close', closed.resolve);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000))) written += 10_000;
    };
    response.on('drain', more);
    more();
  });
  await expect(postBody(url, '{}', { timeoutMs: 5_000, mostBytes: 100_000 })).rejects.toThrow('AnswerTooLong');
  await closed.promise;
  expect(written).toBeLessThan(50_000_000);
});

test('an answer up to the bound is read whole', async () => {
  const url = await serve((_, response) => response.end('x'.repeat(100_000)));
  const { text } = await postBody(url, '{}', { timeoutMs: 5_000, mostBytes: 100_000 });
  expect(text).toHaveLength(100_000);
});

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
