import { ChainUnavailable } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, SETTLED, TRANSFER, wordOf } from '../prove/settlement-logs.ts';
import { RECEIVED, readMoneyLogs } from './money-logs.ts';

const PROCESSOR = `0x${'aa'.repeat(20)}`;
const TOKEN = `0x${'bb'.repeat(20)}`;
const PAYER = `0x${'cc'.repeat(20)}`;
const NONCE = `0x${'dd'.repeat(32)}`;
const BLOCK = `0x${'01'.repeat(32)}`;
const TRANSACTION = `0x${'02'.repeat(32)}`;
const SOURCES = new Map([
  [PROCESSOR, 'processor'],
  [TOKEN, 'token'],
] as const);
const RANGE = { from: 10n, to: 20n };

const place = { blockNumber: '0xf', blockHash: BLOCK, transactionHash: TRANSACTION, logIndex: '0x3', removed: false };
const words = (...values: bigint[]) => `0x${values.map((value) => wordOf(value).slice(2)).join('')}`;
const settled = {
  ...place,
  address: PROCESSOR,
  topics: [SETTLED, wordOf(7n), wordOf(PAYER), wordOf(TOKEN)],
  data: words(5n, 1_000n, 900n, 9n),
};
const used = {
  ...place,
  address: TOKEN,
  topics: [AUTHORIZATION_USED, wordOf(PAYER), NONCE],
  data: '0x',
  logIndex: '0x4',
};
const position = { blockNumber: 15n, blockHash: BLOCK, transactionId: TRANSACTION, logIndex: 3 };

const read = (...logs: unknown[]) => readMoneyLogs(logs, RANGE, SOURCES);

test('each event becomes its fields', () => {
  const received = { ...settled, topics: [RECEIVED, ...settled.topics.slice(1)], data: words(5n, 900n, 9n) };
  const fields = {
    address: PROCESSOR,
    position,
    intentCode: 7n,
    payer: PAYER,
    asset: TOKEN,
    payoutId: 5n,
    amountAtomic: 900n,
    feeAtomic: 9n,
  };
  expect(read(settled)).toEqual([{ event: 'payment_settled', ...fields }]);
  expect(read(received)).toEqual([{ event: 'payment_received', ...fields }]);
  const authorization = { address: TOKEN, position: { ...position, logIndex: 4 }, payer: PAYER, nonce: NONCE };
  expect(read(used)).toEqual([{ event: 'authorization_used', ...authorization }]);
  expect(read({ ...used, topics: [AUTHORIZATION_CANCELED, ...used.topics.slice(1)] })).toEqual([
    { event: 'authorization_canceled', ...authorization },
  ]);
});

test('logs come in chain order and lower case, however the node writes them', () => {
  const later = { ...used, blockNumber: '0x10', blockHash: `0x${'03'.repeat(32)}`, logIndex: '0x0' };
  const shouting = { ...settled, address: `0x${'AA'.repeat(20)}`, blockHash: `0x${'01'.repeat(32).toUpperCase()}` };
  expect(read(later, used, shouting)).toEqual(read(settled, used, later));
});

test('an event counts only from its own kind of source', () => {
  expect(read({ ...settled, address: TOKEN }, { ...used, address: PROCESSOR })).toEqual([]);
});

test('a token that logs another event under the name of a use stops no other log', () => {
  const unindexed = { ...used, topics: [AUTHORIZATION_USED], data: words(1n, 2n) };
  const other = { ...used, topics: [TRANSFER, wordOf(PAYER), wordOf(TOKEN)] };
  const dirty = { ...used, topics: [AUTHORIZATION_USED, `0x${'cc'.repeat(32)}`, NONCE] };
  for (const odd of [unindexed, other, dirty]) expect(read(settled, odd)).toHaveLength(1);
});

describe('an answer is not usable', () => {
  test.each<[string, unknown[]]>([
    ['with a log of a contract that was not asked for', [{ ...settled, address: PAYER }]],
    ['with a block before the range', [{ ...settled, blockNumber: '0x9' }]],
    ['with a block behind the range', [{ ...settled, blockNumber: '0x15' }]],
    ['with one log twice', [settled, settled]],
    ['with two logs in one place', [settled, { ...used, logIndex: '0x3' }]],
    ['with two hashes of one block', [settled, { ...used, blockHash: `0x${'03'.repeat(32)}` }]],
    ['with a log that a reorg removed', [{ ...settled, removed: true }]],
    ['with a pending log', [{ ...settled, blockHash: null }]],
    ['with a short hash', [{ ...settled, transactionHash: '0x02' }]],
    ['with a log index that is no number', [{ ...settled, logIndex: '3' }]],
    ['with a log index out of range', [{ ...settled, logIndex: '0x80000000' }]],
    ['with text in a topic', [{ ...settled, topics: [SETTLED, 'seven', wordOf(PAYER), wordOf(TOKEN)] }]],
    ['with a payment that lacks a topic', [{ ...settled, topics: settled.topics.slice(0, 3) }]],
    ['with a payment that is too short', [{ ...settled, data: words(5n, 1_000n, 900n) }]],
    ['with a payment that is too long', [{ ...settled, data: words(5n, 1_000n, 900n, 9n, 1n) }]],
    ['with an intent code out of range', [{ ...settled, topics: [SETTLED, NONCE, ...settled.topics.slice(2)] }]],
    ['with a payer that is no address', [{ ...settled, topics: [SETTLED, wordOf(7n), NONCE, wordOf(TOKEN)] }]],
    ['with something that is no log', [null]],
  ])('%s', (_, logs) => {
    expect(() => readMoneyLogs(logs, RANGE, SOURCES)).toThrow(ChainUnavailable);
  });

  test.each([null, {}, 'none', undefined])('that is no list: %o', (answer) => {
    expect(() => readMoneyLogs(answer, RANGE, SOURCES)).toThrow(ChainUnavailable);
  });
});
