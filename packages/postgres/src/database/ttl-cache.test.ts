import { expect, test } from 'vitest';
import { ttlCache } from './ttl-cache.ts';

const time = { nowMs: 0 };
const options = { nowMs: () => time.nowMs, ttlMs: 1_000, maxEntries: 2 };

/** Counts what is asked of a store that holds `rows`. */
function storeOf(rows: Map<string, string>) {
  const asked: string[] = [];
  const find = ttlCache(
    options,
    (key: string) => key,
    async (key) => {
      asked.push(key);
      return rows.get(key);
    },
  );
  return { asked, find };
}

test('what was found is remembered until its time is over', async () => {
  const { asked, find } = storeOf(new Map([['a', '1']]));
  expect([await find('a'), await find('a')]).toEqual(['1', '1']);
  time.nowMs += 1_000;
  expect(await find('a')).toBe('1');
  expect(asked).toEqual(['a', 'a']);
});

test('what was not there is found as soon as it is made, and asked for once by callers at the same time', async () => {
  const rows = new Map<string, string>();
  const { asked, find } = storeOf(rows);
  expect(await Promise.all([find('a'), find('a')])).toEqual([undefined, undefined]);
  expect(asked).toEqual(['a']);
  rows.set('a', '1');
  expect(await find('a')).toBe('1');
});

test('a failure is not remembered, and the oldest are forgotten', async () => {
  let fails = true;
  const find = ttlCache(
    options,
    (key: string) => key,
    async (key) => {
      if (fails) throw new Error('no database');
      return key;
    },
  );
  await expect(find('a')).rejects.toThrow('no database');
  fails = false;
  expect(await find('a')).toBe('a');
  const { asked, find: findRow } = storeOf(
    new Map([
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
    ]),
  );
  for (const key of ['a', 'b', 'c', 'a']) await findRow(key);
  expect(asked).toEqual(['a', 'b', 'c', 'a']);
});
