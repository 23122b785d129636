// A node's answer counts only in the documented form. Every field of every answer that we use is made wrong in turn:
// the node must count as unavailable each time.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ChainUnavailable } from '@svc-pay/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTransactionOutcome } from '../finality/find-transaction-outcome.ts';
import { printExact } from './exact-json.ts';
import { openNode, type SolanaNode } from './solana-node.ts';

const KEY = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
/** One signature of 64 bytes with value 1, and its id in base58. */
const WIRE = Uint8Array.of(1, ...Array.from({ length: 64 }, () => 1), 9);
const ID = '2AXDGYSE4f2sz7tvMMzyHvUfcoJmxudvdhBcmiUSo6ijwfYmfZYsKRxboQMPh3R4kUhXRVdtSXFXMheka4Rc4P2';

let answers: Readonly<Record<string, unknown>> = {};
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method } = JSON.parse(Buffer.concat(chunks).toString()) as { method: string };
    response.end(printExact({ jsonrpc: '2.0', id: 1, ...(answers[method] as object) }));
  });
});
let node: SolanaNode;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  node = openNode(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const inContext = (value: unknown) => ({ context: { slot: 7n }, value });
const balance = { accountIndex: 0n, mint: KEY, uiTokenAmount: { amount: '5' } };

type Asked = {
  readonly method: string;
  readonly ask: () => Promise<unknown>;
  readonly good: unknown;
  /** Paths whose field may have one of these values and still be valid. */
  readonly free?: Readonly<Record<string, readonly string[]>>;
};

const error = ['null', 'text', 'object'];
const ASKED: readonly Asked[] = [
  { method: 'getGenesisHash', ask: () => node.genesisHash(), good: KEY },
  {
    method: 'getLatestBlockhash',
    ask: () => node.latestLifetime(),
    good: inContext({ blockhash: KEY, lastValidBlockHeight: 150n }),
  },
  { method: 'getBlockHeight', ask: () => node.blockHeight('finalized'), good: 4_000n },
  { method: 'getSlot', ask: () => node.slot('finalized'), good: 4_000n },
  { method: 'getFirstAvailableBlock', ask: () => node.firstAvailableSlot(), good: 0n },
  {
    method: 'isBlockhashValid',
    ask: () => node.isBlockhashLive(KEY),
    good: inContext(false),
    free: { value: ['boolean'] },
  },
  {
    method: 'getSignatureStatuses',
    ask: () => node.statuses([ID]),
    good: inContext([{ slot: 5n, err: null, confirmations: 3n, confirmationStatus: 'confirmed' }]),
    free: {
      'value.0': ['null'],
      'value.0.err': error,
      // Only read where the commitment is missing.
      'value.0.confirmations': ['null', 'text', 'missing', 'negative', 'fraction', 'boolean', 'object', 'list'],
    },
  },
  {
    method: 'getTransaction',
    ask: () => node.transaction(ID, 'confirmed'),
    good: {
      slot: 5n,
      transaction: { signatures: [ID], message: { accountKeys: [KEY] } },
      meta: {
        err: null,
        preBalances: [9n],
        postBalances: [8n],
        preTokenBalances: [balance],
        postTokenBalances: [balance],
      },
    },
    free: {
      '': ['null'],
      'meta.err': error,
      'meta.preTokenBalances': ['null', 'missing', 'list'],
      'meta.postTokenBalances': ['null', 'missing', 'list'],
      // Without the entry the list is only shorter.
      'meta.preTokenBalances.0': ['missing'],
      'meta.postTokenBalances.0': ['missing'],
    },
  },
  {
    method: 'getMultipleAccounts',
    ask: () => node.accounts([KEY]),
    good: inContext([{ owner: KEY, lamports: 5n, data: ['AAAA', 'base64'] }]),
    free: { 'value.0': ['null'] },
  },
  {
    method: 'simulateTransaction',
    ask: () => node.simulate(WIRE),
    good: inContext({ err: null, logs: ['Program log'] }),
    free: { 'value.err': error, 'value.logs': ['null', 'missing', 'list'], 'value.logs.0': ['text', 'missing'] },
  },
];

const MISSING = Symbol('missing');
const WRONG = {
  null: null,
  text: '***',
  missing: MISSING,
  negative: -1n,
  fraction: 1.5,
  boolean: true,
  object: {},
  list: [],
} as const;

type Path = readonly (string | number)[];

function pathsIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inside = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [at, ...inside.flatMap(([key, inner]) => pathsIn(inner, [...at, key]))];
}

function withWrong(value: unknown, [key, ...rest]: Path, wrong: unknown): unknown {
  if (key === undefined) return wrong;
  if (Array.isArray(value)) {
    const inner = withWrong(value[Number(key)], rest, wrong);
    return inner === MISSING ? value.toSpliced(Number(key), 1) : value.with(Number(key), inner);
  }
  const { [key]: before, ...others } = value as Record<string, unknown>;
  const inner = withWrong(before, rest, wrong);
  return inner === MISSING ? others : { ...others, [key]: inner };
}

describe.each(ASKED)('$method', ({ method, ask, good, free = {} }) => {
  test('is believed in the documented form', async () => {
    answers = { [method]: { result: good } };
    await expect(ask()).resolves.toBeDefined();
  });

  test.each(pathsIn(good).map((path) => [path.join('.') || 'the whole answer', path] as const))(
    'with another %s is no answer',
    async (_name, path) => {
      for (const [name, wrong] of Object.entries(WRONG)) {
        const result = withWrong(good, path, wrong);
        answers = { [method]: result === MISSING ? {} : { result } };
        const told = ask().then(
          () => 'believed',
          (problem: unknown) => problem instanceof ChainUnavailable,
        );
        expect([name, await told]).toEqual([name, free[path.join('.')]?.includes(name) ? 'believed' : true]);
      }
    },
  );
});

test('a list of another length, a balance of no account, and another transaction are no answers', async () => {
  answers = {
    getMultipleAccounts: { result: inContext([null]) },
    getSignatureStatuses: { result: inContext([null, null, null]) },
  };
  await expect(node.accounts([KEY, KEY])).rejects.toThrow(ChainUnavailable);
  await expect(node.statuses([ID, ID])).rejects.toThrow(ChainUnavailable);
  const good = ASKED.find(({ method }) => method === 'getTransaction')!.good;
  for (const [path, wrong] of [
    [['meta', 'preTokenBalances', 0, 'accountIndex'], 1n],
    [
      ['meta', 'preBalances'],
      [9n, 9n],
    ],
    [['transaction', 'signatures', 0], KEY],
  ] as const) {
    answers = { getTransaction: { result: withWrong(good, path, wrong) } };
    await expect(node.transaction(ID, 'confirmed')).rejects.toThrow(ChainUnavailable);
  }
});

test('an older node that leaves the commitment out is believed only where it says that nothing more confirms it', async () => {
  const status = { slot: 5n, err: null };
  answers = { getSignatureStatuses: { result: inContext([{ ...status, confirmations: null }]) } };
  expect(await node.statuses([ID])).toEqual([{ slot: 5n, error: null, commitment: 'finalized' }]);
  for (const confirmations of [3n, '***', MISSING]) {
    const told = confirmations === MISSING ? status : { ...status, confirmations };
    answers = { getSignatureStatuses: { result: inContext([told]) } };
    await expect(node.statuses([ID])).rejects.toThrow(ChainUnavailable);
  }
});

test.each([
  ['null', { result: null }],
  ['another id', { result: KEY }],
  ['a list', { result: [ID] }],
  ['nothing', {}],
  ['an error without a code', { error: { message: 'no' } }],
  ['an error without words', { error: { code: -1n } }],
  ['an error that is text', { error: 'no' }],
])('a send that is answered with %s may be on its way, and nobody has said so', async (_name, body) => {
  answers = { sendTransaction: body };
  expect(await node.send(WIRE)).toEqual({ outcome: 'unknown' });
});

test('a send is known by the id of what was sent', async () => {
  answers = { sendTransaction: { result: ID, error: null } };
  expect(await node.send(WIRE)).toEqual({ outcome: 'known' });
  answers = { sendTransaction: { error: { code: -32_002n, message: 'no room' } } };
  expect(await node.send(WIRE)).toEqual({ outcome: 'refused', reason: 'no room' });
});

test.each([
  ['a height as text', { getBlockHeight: { result: '4000' } }],
  ['no height', { getBlockHeight: { result: null } }],
  ['no first block', { getFirstAvailableBlock: { result: null } }],
  ['a first block before all blocks', { getFirstAvailableBlock: { result: -1n } }],
  ['no status', { getSignatureStatuses: { result: inContext([]) } }],
])('a transaction is not called expired by a node with %s', async (_name, wrong) => {
  const pending = { transactionId: ID, lifetime: { blockhash: KEY, lastValidBlockHeight: 1_000n, slot: 200n } };
  const truth = {
    getBlockHeight: { result: 4_000n },
    getSignatureStatuses: { result: inContext([null]) },
    getFirstAvailableBlock: { result: 0n },
  };
  answers = truth;
  expect(await findTransactionOutcome([node], pending)).toEqual({ kind: 'expired' });
  answers = { ...truth, ...wrong };
  expect(await findTransactionOutcome([node], pending)).toEqual({ kind: 'unknown' });
});
