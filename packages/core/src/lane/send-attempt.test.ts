import { expect, test } from 'vitest';
import type { PendingBatch, SignedTransaction } from './lane.ts';
import type { MinedBatch } from './lane-chain.ts';
import { attemptOf, isSeenAnew } from './send-attempt.ts';

const signed = (transactionId: string): SignedTransaction => ({ transactionId, raw: new Uint8Array() });
const batch = (change: Partial<PendingBatch> = {}): PendingBatch => ({
  id: 'bat_1',
  nonce: 1n,
  status: 'broadcast',
  sentAtMs: 0,
  transactions: [signed('0x1'), signed('0x2')],
  items: [],
  ...change,
});
const linkAfter = (change: Partial<PendingBatch>, transactionId: string, taken: boolean) =>
  attemptOf(batch(change), transactionId, taken).link;

test('the first attempt links the payments, whatever the nodes answer', () => {
  expect(linkAfter({}, '0x1', true)).toBe('0x1');
  expect(linkAfter({}, '0x1', false)).toBe('0x1');
});

test('a fee bump that a node may have moves the link; one that every node refuses does not', () => {
  expect(linkAfter({ linkedTo: '0x1' }, '0x2', true)).toBe('0x2');
  expect(linkAfter({ linkedTo: '0x1' }, '0x2', false)).toBeUndefined();
});

test('an earlier transaction that a node takes again does not move the link back', () => {
  expect(linkAfter({ linkedTo: '0x2' }, '0x1', true)).toBeUndefined();
  expect(linkAfter({ linkedTo: '0x2' }, '0x2', true)).toBeUndefined();
});

test('a batch that is sent again is no longer in the block in which it was seen', () => {
  expect(linkAfter({ linkedTo: '0x2', seenIn: '0xblock' }, '0x2', true)).toBe('0x2');
  expect(linkAfter({ linkedTo: '0x1', seenIn: '0xblock' }, '0x2', false)).toBe('0x1');
});

test('a mined batch is news in another block, or under another transaction, than its payments name', () => {
  const mined = { transactionId: '0x1', blockHash: '0xb1' } as MinedBatch;
  expect(isSeenAnew(batch(), mined)).toBe(true);
  expect(isSeenAnew(batch({ linkedTo: '0x1' }), mined)).toBe(true);
  expect(isSeenAnew(batch({ linkedTo: '0x1', seenIn: '0xb1' }), mined)).toBe(false);
  expect(isSeenAnew(batch({ linkedTo: '0x2', seenIn: '0xb1' }), mined)).toBe(true);
  expect(isSeenAnew(batch({ linkedTo: '0x1', seenIn: '0xb2' }), mined)).toBe(true);
});
