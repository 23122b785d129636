import { expect, test } from 'vitest';
import { remember } from './remember.ts';

test('a new key takes the place of the one that was written longest ago, and of no other', () => {
  const known = new Map<string, number>();
  for (const [at, key] of ['a', 'b', 'c', 'a', 'd'].entries()) remember(known, key, at, 3);
  expect([...known]).toEqual([
    ['c', 2],
    ['a', 3],
    ['d', 4],
  ]);
});
