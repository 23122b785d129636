import type { LaneItem } from '@svc-pay/core';
import { sampleActivation } from '@svc-pay/core/testing';
import { describe, expect, test } from 'vitest';
import { sampleItem } from '../testing/sample-item.ts';
import { fitBatch, MAX_BATCH_GAS, MAX_BATCH_ITEMS } from './fit-batch.ts';
import { DEFAULT_CALL_GAS, gasLimit } from './gas-limit.ts';

const SIGNATURE = sampleItem(0).signature;
let count = 0;

function item(change: Partial<LaneItem> = {}): LaneItem {
  count += 1;
  return sampleItem(count, change);
}
const fit = (queue: readonly LaneItem[]) => fitBatch(queue, DEFAULT_CALL_GAS);
const payout = (id: bigint, splits = 0): LaneItem['payout'] => ({
  id,
  merchant: '0xd0',
  feeBps: 50,
  splits: Array.from({ length: splits }, () => ({ to: '0xe0', bps: 1 })),
});

const direct = (id: bigint): LaneItem['payout'] => ({ ...payout(id), feeBps: 0, direct: sampleActivation() });

test('direct payments of one token share a transaction whatever their wallets, and never with a processor’s', () => {
  const [one, two] = [item({ payout: direct(1n), processor: '0xe1' }), item({ payout: direct(2n), processor: '0xe2' })];
  const other = item({ payout: direct(1n), processor: '0xe1', asset: '0xa1' });
  const [through, again] = [item(), item()];
  expect(fit([one, through, other, two, again]).items).toEqual([one, two]);
  expect(fit([through, one, again, two]).items).toEqual([through, again]);
});

describe('a direct payment goes alone', () => {
  test.each<[string, Partial<LaneItem>]>([
    ['of a contract wallet', { byContract: true }],
    ['of an amount past 96 bits', { capAtomic: 1n << 96n }],
    ['with a window past 40 bits', { validBeforeSeconds: 1n << 40n }],
    ['of another kind', { kind: 'receive_with_authorization' }],
    ['of a payer whose transfer used up its gas', { solo: true }],
  ])('%s', (_, change) => {
    const head = item({ payout: direct(1n), ...change });
    const plain = item({ payout: direct(1n) });
    expect(fit([head, plain])).toEqual({ items: [head], filled: 1 });
    expect(fit([plain, head]).items).toEqual([plain]);
  });
});

test('an empty queue gives nothing', () => {
  expect(fit([])).toEqual({ items: [], filled: 0 });
});

test('payments of one processor and token share a transaction, in the queue’s order; the others keep their places', () => {
  const [one, two, three] = [item(), item({ kind: 'receive_with_authorization' }), item({ payout: payout(2n) })];
  const others = [
    item({ asset: '0xa1' }),
    item({ processor: '0xb1' }),
    item({ kind: 'permit' }),
    item({ byContract: true }),
  ];
  expect(fit([one, ...others, two, three])).toMatchObject({ items: [one, two, three] });
});

describe('goes alone, also from the middle of a queue it leads', () => {
  test.each<[string, Partial<LaneItem>]>([
    ['a permit', { kind: 'permit' }],
    ['a contract wallet', { byContract: true }],
    ['an amount past 128 bits', { capAtomic: 1n << 128n }],
    ['a window past 64 bits', { validBeforeSeconds: 1n << 64n }],
    ['a signature that no key made', { signature: '0x1234' }],
  ])('%s', (_, change) => {
    const head = item(change);
    expect(fit([head, item()])).toEqual({ items: [head], filled: 1 });
    const plain = item();
    expect(fit([plain, head]).items).toEqual([plain]);
  });
});

test('signatures of 64 bytes and with v of 0 or 1 share a transaction like the rest', () => {
  const queue = [
    item({ signature: SIGNATURE.slice(0, -2) }),
    item({ signature: `${SIGNATURE.slice(0, -2)}01` }),
    item(),
  ];
  expect(fit(queue).items).toEqual(queue);
});

test('200 payments are the most', () => {
  const queue = Array.from({ length: 201 }, () => item());
  const { items, filled } = fit(queue);
  expect(items).toEqual(queue.slice(0, MAX_BATCH_ITEMS));
  expect(filled).toBe(1);
  expect(fit(queue.slice(0, 199)).filled).toBeLessThan(1);
});

test('gas is the other limit: never past it, and the next payment would be', () => {
  const queue = Array.from({ length: 200 }, (_, index) => item({ payout: payout(BigInt(index), 8) }));
  const { items, filled } = fit(queue);
  expect(filled).toBe(1);
  expect(gasLimit(items, DEFAULT_CALL_GAS)).toBeLessThanOrEqual(MAX_BATCH_GAS);
  expect(gasLimit(queue.slice(0, items.length + 1), DEFAULT_CALL_GAS)).toBeGreaterThan(MAX_BATCH_GAS);
});

test('200 payments of 200 payers to one payout fit, with room for 26 of them to burn their stipend', () => {
  const queue = Array.from({ length: 200 }, () => item());
  const { items } = fit(queue);
  expect(items).toHaveLength(200);
  const stipends = 26n * DEFAULT_CALL_GAS + 174n * 61_500n;
  expect(gasLimit(items, DEFAULT_CALL_GAS)).toBeGreaterThan(stipends);
});

test('a payer’s hundred payments go in two transactions: each has room for all of them to burn their stipend', () => {
  const queue = Array.from({ length: 100 }, () => item({ payer: '0xc0' }));
  const { items, filled } = fit(queue);
  expect(filled).toBe(1);
  expect(items.length).toBeGreaterThanOrEqual(50);
  expect(gasLimit(items, DEFAULT_CALL_GAS)).toBeGreaterThan(BigInt(items.length) * DEFAULT_CALL_GAS);
});

test('a payer whose transfer used up its gas goes alone, in a batch of one', () => {
  const solo = item({ solo: true });
  expect(fit([solo, item()]).items).toEqual([solo]);
  const other = item();
  expect(fit([other, solo]).items).toEqual([other]);
});
