import { expect, test } from 'vitest';
import type { PendingBatch, SignedTransaction } from './lane.ts';
import type { MinedBatch } from './lane-chain.ts';
import { attemptOf, firstAttemptOf, isSeenAnew, overdueLinks } from './send-attempt.ts';

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

test('payments that are sent name no transaction before the time for it, and name it then, whatever the nodes answered', () => {
  const pace = { linkMs: 2_000 };
  for (const taken of [true, false]) {
    expect(firstAttemptOf(batch(), '0x1', taken, pace)).toEqual({ batch: { id: 'bat_1', items: [] }, taken });
    expect(firstAttemptOf(batch(), '0x1', taken, { linkMs: 0 }).link).toBe('0x1');
  }
  expect(overdueLinks([batch()], 1_999, pace)).toEqual([]);
  expect(overdueLinks([batch()], 2_000, pace)).toEqual([
    { batch: { id: 'bat_1', items: [] }, taken: false, link: '0x2' },
  ]);
  expect(overdueLinks([batch({ linkedTo: '0x1' })], 60_000, pace)).toEqual([]);
});

test('a refund names its transaction as soon as it is sent', () => {
  const items = [{ refund: {} }] as unknown as PendingBatch['items'];
  expect(firstAttemptOf(batch({ items }), '0x1', true, { linkMs: 2_000 }).link).toBe('0x1');
});

test('the first attempt that may link does, whatever the nodes answer', () => {
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
