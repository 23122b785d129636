import { describe, expect, test } from 'vitest';
import { testStoreContract } from '../testing/store-contract.ts';
import { createMemoryStore } from './memory-store.ts';

describe('the memory store keeps the contract', () => {
  testStoreContract(() => {
    let nowMs = 0;
    const store = createMemoryStore({ now: () => nowMs });
    return { store, passMs: async (ms) => void (nowMs += ms) };
  }, 1_000);
});

test('it forgets the oldest finished events beyond its bound, and never one that is held', async () => {
  const store = createMemoryStore({ maxEvents: 2, now: () => 0 });
  await store.claim('evt_held', 'one', 1_000);
  for (const id of ['evt_1', 'evt_2', 'evt_3']) await store.complete(id);
  expect(await store.claim('evt_held', 'two', 1_000)).toBe('held');
  expect(await store.claim('evt_3', 'two', 1_000)).toBe('done');
  expect(await store.claim('evt_2', 'two', 1_000)).toBe('done');
  expect(await store.claim('evt_1', 'two', 1_000)).toBe('claimed');
});

test.each([0, -1, 1.5, Number.NaN])('a bound of %d is refused', (maxEvents) => {
  expect(() => createMemoryStore({ maxEvents })).toThrow(RangeError);
});
