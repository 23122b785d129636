import { newId, timeOfId } from '@svc-pay/protocol/ids';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PageWalk, walkPages } from './page-walk.ts';
import { partitionEnd } from './partition-start.ts';

const END_MS = Date.UTC(2026, 10, 15);
const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;

type Stored = { readonly id: string };

/** A store of these ids that counts the months that a walk asks for. */
function storeOf(ids: readonly string[], order: PageWalk['order']) {
  const sorted = ids.toSorted();
  const inOrder = order === 'older' ? sorted.toReversed() : sorted;
  let asked = 0;
  return {
    asks: () => asked,
    read: async ({ from, to }: { from: string; to: string }, limit: number): Promise<readonly Stored[]> => {
      asked += 1;
      return inOrder
        .filter((id) => id > from && id < to)
        .slice(0, limit)
        .map((id) => ({ id }));
    },
  };
}

const ages = fc.array(fc.nat(120 * MONTH_MS), { maxLength: 60 });
const walk = (order: PageWalk['order'], limit: number, rowBlocks: number): PageWalk => ({
  kind: 'payment',
  order,
  position: undefined,
  earliestMs: END_MS - 121 * MONTH_MS,
  latestMs: END_MS + 1,
  limit,
  rowBlocks,
  days: undefined,
});

const dayOf = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;
const daySpans = fc.option(
  fc.tuple(fc.nat(1_000), fc.nat(500)).map(([back, length]) => {
    const fromMs = dayOf(END_MS) - back * DAY_MS;
    return { fromMs, toMs: fromMs + length * DAY_MS };
  }),
  { nil: undefined },
);

test('pages in either order have every row once, each page newest first', async () => {
  await fc.assert(
    fc.asyncProperty(
      ages,
      fc.constantFrom<PageWalk['order']>('older', 'newer'),
      fc.integer({ min: 1, max: 100 }),
      fc.constantFrom(2, 6, 11),
      daySpans,
      async (given, order, limit, rowBlocks, days) => {
        const ids = given.map((age) => newId('payment', END_MS - age));
        const { read } = storeOf(ids, order);
        const seen: string[] = [];
        let position: string | undefined;
        for (let pages = 0; pages < 500; pages += 1) {
          const page = await walkPages({ ...walk(order, limit, rowBlocks), days, position }, read);
          const rows = page.rows.map(({ id }) => id);
          expect(rows).toEqual(rows.toSorted().toReversed());
          expect(rows.length).toBeLessThanOrEqual(limit);
          seen.push(...(order === 'older' ? rows : rows.toReversed()));
          if (page.more === undefined) break;
          position = page.more;
        }
        const sorted = ids.toSorted();
        expect(seen).toEqual(order === 'older' ? sorted.toReversed() : sorted);
      },
    ),
  );
});

test('a walk that finds nothing in ten years ends after a bounded number of statements', async () => {
  const { read, asks } = storeOf([], 'older');
  const page = await walkPages(walk('older', 100, 6), read);
  expect(page.rows).toEqual([]);
  expect(asks()).toBeLessThanOrEqual(8);
});

test('what a page may cost bounds its rows, however many are asked for', async () => {
  const ids = Array.from({ length: 300 }, (_, age) => newId('payment', END_MS - age));
  for (const [rowBlocks, most] of [
    [2, 100],
    [6, 76],
    [11, 41],
  ] as const) {
    const page = await walkPages(walk('older', 100, rowBlocks), storeOf(ids, 'older').read);
    expect(page.rows).toHaveLength(most);
    expect(page.more).toBe(page.rows.at(-1)?.id);
  }
});

test('a range that ends before it begins asks for nothing', async () => {
  const { read, asks } = storeOf([newId('payment', END_MS)], 'older');
  expect(await walkPages({ ...walk('older', 5, 2), earliestMs: END_MS + 2 }, read)).toEqual({
    rows: [],
    more: undefined,
  });
  expect(asks()).toBe(0);
});

test('a step of a walk names no more partitions than it is charged for, of months, of days and where one follows the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom<PageWalk['order']>('older', 'newer'), daySpans, async (order, days) => {
      const spans: number[] = [];
      const partitionsIn = (from: string, to: string) => {
        const [first, end] = [from, to].map((id) => timeOfId(id as Parameters<typeof timeOfId>[0]));
        let count = 0;
        for (let at = first ?? 0; at < (end ?? 0); at = partitionEnd(at, days)) count += 1;
        return count;
      };
      const found = await walkPages({ ...walk(order, 100, 6), days }, async ({ from, to }) => {
        spans.push(partitionsIn(from, to));
        return [];
      });
      expect(spans).toEqual(spans.map((count, index) => Math.min(count, 2 ** index)));
      expect(spans.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(96);
      // Whoever goes on from there sees the rest.
      if (found.more !== undefined) expect(spans.length).toBeGreaterThan(5);
    }),
  );
});
