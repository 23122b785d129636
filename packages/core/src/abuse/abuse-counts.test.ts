import { expect, test } from 'vitest';
import { createAbuseCounts } from './abuse-counts.ts';

const HOUR_MS = 3_600_000;
const limits = { kept: 20, listed: 3 };

test('counts by cause and by who it was, as far as that is known', () => {
  const counts = createAbuseCounts(limits);
  counts.add('refused', { address: 'aa', key: undefined }, 5);
  counts.add('refused', { address: 'aa', key: 'key_1' }, 6);
  counts.add('created', { address: 'aa' }, 7);
  counts.pay({ address: 'aa', key: 'key_1' }, 8);
  const [page] = counts.toWrite();
  expect(page).toMatchObject({ hourMs: 0 });
  expect(page?.counts).toEqual([
    { cause: 'refused', kind: 'address', subject: 'aa', count: 2, paid: 0 },
    { cause: 'refused', kind: 'key', subject: 'key_1', count: 1, paid: 0 },
    { cause: 'created', kind: 'address', subject: 'aa', count: 1, paid: 1 },
  ]);
});

test('an hour is written again only after a change, and forgotten when it is over', () => {
  const counts = createAbuseCounts(limits);
  counts.add('streams', { key: 'key_1' }, 0);
  const [first] = counts.toWrite();
  counts.add('streams', { key: 'key_1' }, 1);
  counts.written(first!, 2);
  expect(counts.toWrite()).toMatchObject([{ counts: [{ count: 2 }] }]);
  counts.written(counts.toWrite()[0]!, 3);
  expect(counts.toWrite()).toEqual([]);
  counts.add('streams', { key: 'key_1' }, HOUR_MS - 1);
  counts.add('streams', { key: 'key_1' }, HOUR_MS);
  expect(counts.toWrite()).toMatchObject([
    { hourMs: 0, counts: [{ count: 3 }] },
    { hourMs: HOUR_MS, counts: [{ count: 1 }] },
  ]);
});

test('without a database two hours are kept, and of each the heaviest', () => {
  const counts = createAbuseCounts(limits);
  for (let hour = 0; hour < 5; hour += 1) {
    for (let index = 0; index < 2_000; index += 1) counts.add('refused', { address: `a${index}` }, hour * HOUR_MS);
  }
  expect(counts.toWrite().map(({ hourMs, counts: { length } }) => [hourMs / HOUR_MS, length])).toEqual([
    [3, expect.any(Number)],
    [4, expect.any(Number)],
  ]);
  for (const page of counts.toWrite()) expect(page.counts.length).toBeLessThanOrEqual(3);
});
