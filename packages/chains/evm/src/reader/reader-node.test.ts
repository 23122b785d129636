// The reader's side of one node, over real HTTP: what is asked, and what is made of each kind of answer.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ChainUnavailable, RangeTooLarge } from '@svc-pay/core';
import { afterEach, describe, expect, test } from 'vitest';
import { AUTHORIZATION_USED, wordOf } from '../prove/settlement-logs.ts';
import { createEndpointPool, type EndpointTrouble } from '../rpc/endpoint-pool.ts';
import { createLogPost } from './post-log-calls.ts';
import { createReaderNode, MAX_LOGS } from './reader-node.ts';

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
type Reply = { readonly status?: number; readonly body: unknown } | undefined;

const TOKEN = `0x${'bb'.repeat(20)}`;
const MAX_BYTES = 20_000_000;
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function node(reply: (calls: readonly Call[]) => Reply, { maxBytes = MAX_BYTES, timeoutMs = 2_000 } = {}) {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const answered = reply(JSON.parse(text) as readonly Call[]);
      if (answered === undefined) return;
      const { status = 200, body } = answered;
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const troubles: EndpointTrouble[] = [];
  const pool = createEndpointPool({
    urls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    timeoutMs,
    patienceMs: 2 * timeoutMs,
    post: createLogPost(maxBytes),
    onChange: (_, trouble) => troubles.push(trouble),
  });
  return { ...createReaderNode(pool.endpoints[0]), troubles };
}

const each = (result: (call: Call) => unknown) => (calls: readonly Call[]) => ({
  body: calls.map((call) => ({ id: call.id, result: result(call) })),
});
const block = (number: number) => ({
  number: `0x${number.toString(16)}`,
  hash: `0x${number.toString(16).padStart(64, '0')}`,
  timestamp: '0x64',
});
const used = (index: number) => ({
  address: TOKEN,
  topics: [AUTHORIZATION_USED, wordOf(TOKEN), wordOf(BigInt(index))],
  data: '0x',
  logIndex: `0x${index.toString(16)}`,
  blockNumber: '0x5',
  blockHash: block(5).hash,
  transactionHash: wordOf(1n),
});
const RANGE = { from: 1n, to: 9n };
const SOURCES = [{ address: TOKEN, kind: 'token' }] as const;

test('heads and blocks are those of the node; a block that it lacks is none', async () => {
  const { readHeads, readBlocks } = await node(
    each(({ params }) => (params[0] === 'latest' ? block(9) : params[0] === '0xa' ? null : block(7))),
  );
  expect(await readHeads()).toEqual({
    head: { number: 9n, hash: block(9).hash, timeSeconds: 100n },
    finalized: { number: 7n, hash: block(7).hash, timeSeconds: 100n },
  });
  expect(await readBlocks([7n, 10n])).toEqual([{ number: 7n, hash: block(7).hash, timeSeconds: 100n }, undefined]);
  await expect(readBlocks([8n])).rejects.toThrow(ChainUnavailable);
});

test.each([
  ['a number that no database takes', { ...block(7), number: `0x${'f'.repeat(17)}` }],
  ['a time that no database takes', { ...block(7), timestamp: `0x${'f'.repeat(17)}` }],
  ['no hash', { ...block(7), hash: null }],
  ['nothing', null],
])('a head with %s is not usable', async (_, head) => {
  const { readHeads } = await node(each(() => head));
  await expect(readHeads()).rejects.toThrow(ChainUnavailable);
});

test('one question has all sources, and asks for nothing but money events', async () => {
  const asked: unknown[] = [];
  const { readLogs } = await node(
    each(({ params }) => {
      asked.push(params[0]);
      return [used(1)];
    }),
  );
  const processor = { address: `0x${'aa'.repeat(20)}`, kind: 'processor' } as const;
  expect(await readLogs(RANGE, [...SOURCES, processor])).toMatchObject([{ event: 'authorization_used', payer: TOKEN }]);
  expect(asked).toEqual([
    {
      fromBlock: '0x1',
      toBlock: '0x9',
      address: [TOKEN, processor.address],
      topics: [[expect.any(String), expect.any(String), AUTHORIZATION_USED, expect.any(String)]],
    },
  ]);
});

describe('a range is too large, and the endpoint stays in use', () => {
  const refusal = { error: { code: -32_005, message: 'query returned more than 10000 results' } };
  test.each<[string, (calls: readonly Call[]) => Reply]>([
    ['where the node says so', (calls) => ({ body: calls.map(({ id }) => ({ id, ...refusal })) })],
    ['where it says so once for the whole batch', () => ({ body: refusal })],
    ['where it says so with a status of HTTP', () => ({ status: 400, body: refusal })],
    ['where it answers 413', () => ({ status: 413, body: 'too large' })],
    ['where it answers too many logs', each(() => Array.from({ length: MAX_LOGS + 1 }, (_, index) => used(index)))],
    ['where it takes too long', () => undefined],
  ])('%s', async (_, reply) => {
    const { readLogs, troubles } = await node(reply, { timeoutMs: 1_000 });
    await expect(readLogs(RANGE, SOURCES)).rejects.toThrow(RangeTooLarge);
    expect(troubles).toEqual([]);
  });

  test('where the answer is longer than the bound, which ends the download', async () => {
    const { readLogs, troubles } = await node(
      each(() => [used(1), used(2), used(3)]),
      { maxBytes: 900 },
    );
    await expect(readLogs(RANGE, SOURCES)).rejects.toThrow(RangeTooLarge);
    expect(troubles).toEqual([]);
  });
});

test.each<[string, (calls: readonly Call[]) => Reply]>([
  ['answers 500', () => ({ status: 500, body: 'oops' })],
  ['answers HTML', () => ({ body: '<html>' })],
  ['limits requests', () => ({ status: 429, body: { error: { code: -32_005, message: 'rate limit exceeded' } } })],
  ['answers null', each(() => null)],
])('a node that %s gives no usable answer', async (_, reply) => {
  const { readLogs } = await node(reply);
  await expect(readLogs(RANGE, SOURCES)).rejects.toThrow(ChainUnavailable);
});

test('receipts that are too large together are read one by one', async () => {
  const uses = [1, 2, 3].map((index) => ({
    event: 'authorization_used' as const,
    address: TOKEN,
    payer: TOKEN,
    nonce: wordOf(BigInt(index)),
    position: { blockNumber: 5n, blockHash: block(5).hash, transactionId: wordOf(BigInt(index)), logIndex: index },
  }));
  const padding = 'x'.repeat(1_000);
  const { readEvidence, troubles } = await node(
    each(({ params }) => ({
      transactionHash: params[0],
      blockHash: block(5).hash,
      padding,
      logs: [{ ...used(Number(params[0])), transactionHash: params[0] }],
    })),
    { maxBytes: 3_000 },
  );
  expect(await readEvidence(uses)).toEqual(
    uses.map(({ position: { transactionId, blockHash } }) => ({ transactionId, blockHash, transfer: undefined })),
  );
  expect(troubles).toEqual([]);
});
