import { expect, test } from 'vitest';
import { countFullCaps, FULL_CAP_WINDOW_MS, isFullCap } from './full-caps.ts';

const charge = (accountId: string, settledAtomic = 100n, mode: 'live' | 'test' = 'live') => ({
  accountId,
  mode,
  settledAtomic,
  capAtomic: 100n,
});

test.each([
  [100n, 100n, true],
  [95n, 100n, true],
  [94n, 100n, false],
  [1n, 1n, true],
  [949_999n, 1_000_000n, false],
  [950_000n, 1_000_000n, true],
])('%d of a cap of %d is nearly all of it: %s', (settledAtomic, capAtomic, full) => {
  expect(isFullCap({ settledAtomic, capAtomic })).toBe(full);
});

test('the full caps of an account within minutes are counted, and a burst is told once', () => {
  const caps = countFullCaps(3);
  const told = [1, 2, 3, 4, 5].map((nowMs) => caps.charged(charge('acct_a'), nowMs));
  expect(told).toEqual([undefined, undefined, 3, undefined, undefined]);
  expect(caps.most('live', 5)).toBe(5);
  expect(caps.most('live', 3 + FULL_CAP_WINDOW_MS)).toBe(2);
  expect(caps.most('live', 6 + FULL_CAP_WINDOW_MS)).toBe(0);
  const again = [1, 2, 3].map((ms) => caps.charged(charge('acct_a'), 10 + FULL_CAP_WINDOW_MS + ms));
  expect(again).toEqual([undefined, undefined, 3]);
});

test('charges below the cap, other accounts and the other mode do not add to it', () => {
  const caps = countFullCaps(3);
  for (let nowMs = 0; nowMs < 10; nowMs += 1) expect(caps.charged(charge('acct_a', 60n), nowMs)).toBeUndefined();
  for (const account of ['acct_a', 'acct_b', 'acct_c', 'acct_d'])
    expect(caps.charged(charge(account), 10)).toBeUndefined();
  expect(caps.charged(charge('acct_a', 100n, 'test'), 10)).toBeUndefined();
  expect([caps.most('live', 10), caps.most('test', 10)]).toEqual([1, 1]);
});

test('a few full caps of each of many accounts are counted together', () => {
  const caps = countFullCaps(3);
  for (let account = 0; account < 50; account += 1)
    for (const nowMs of [1, 2]) expect(caps.charged(charge(`acct_${account}`), nowMs)).toBeUndefined();
  expect([caps.most('live', 2), caps.all('live', 2), caps.all('test', 2)]).toEqual([2, 100, 0]);
  expect(caps.all('live', 1 + FULL_CAP_WINDOW_MS)).toBe(50);
});
