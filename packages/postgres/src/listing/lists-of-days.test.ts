// Lists over months, and over the same rows where the last year is days: what they show and what they read.
import { expect, test } from 'vitest';
import { createListStores } from '../list-stores.ts';
import { createTestDatabase } from '../testing/index.ts';
import {
  fillListed,
  LISTED_CALLER,
  LISTED_NOW_MS,
  listedWays,
  openListMeter,
  SMALL_CALLER,
} from '../testing/listed-payments.ts';

const PAYMENTS = 20_000;
const MOST_BLOCKS = 500;
const [ofMonths, ofDays] = await Promise.all([createTestDatabase(), createTestDatabase()]);
await fillListed(ofMonths.pool, { payments: PAYMENTS, unpaid: 0 });
await fillListed(ofDays.pool, { payments: PAYMENTS, unpaid: 0, monthsOfDays: 12 });

type Stores = ReturnType<typeof createListStores>;
type Page = Awaited<ReturnType<Stores['payments']>> | Awaited<ReturnType<Stores['intents']>>;
const storesOf = ({ pool }: typeof ofMonths) => createListStores({ pool }, { nowMs: () => LISTED_NOW_MS });

/** In the order of the walk; a page is newest first in either order. */
async function everyPage(
  order: 'older' | 'newer',
  read: (position: string | undefined) => Promise<Page>,
): Promise<readonly string[]> {
  const seen: string[] = [];
  let position: string | undefined;
  for (let pages = 0; pages < 1_000; pages += 1) {
    const page = await read(position);
    const shown = page.rows.map((row) => `${row.intent.id} ${row.payment?.id ?? ''}`);
    seen.push(...(order === 'older' ? shown : shown.toReversed()));
    if (page.more === undefined) return seen;
    position = page.more;
  }
  throw new Error('a list has no end');
}

test('the rows of the last months are in days, and no row is in a default partition', async () => {
  const { rows } = await ofDays.pool.query<{ kind: string; count: number }>(
    `select case when home like '%default' then 'none' when home ~ '_\\d{4}_\\d{2}_\\d{2}$' then 'day' else 'month' end as kind,
       count(*)::integer as count from (select tableoid::regclass::text as home from svc.payments) p group by 1 order by 1`,
  );
  expect(rows).toEqual([
    { kind: 'day', count: expect.any(Number) },
    { kind: 'month', count: expect.any(Number) },
  ]);
  expect(Math.min(...rows.map(({ count }) => count))).toBeGreaterThan(1_000);
});

test.each([
  ['without a filter', {}],
  ['by a status', { status: 'refunded' }],
  ['by a payer', { payer: `0x${(7).toString(16).padStart(40, '0')}` }],
  ['by metadata', { metadata: { key: 'customer', value: '7' } }],
] as const)('payments %s are the same in both, in both orders', async (_, filter) => {
  for (const order of ['older', 'newer'] as const) {
    const [one, other] = await Promise.all(
      [ofMonths, ofDays].map((database) => {
        const caller = 'status' in filter ? LISTED_CALLER : SMALL_CALLER;
        const start = order === 'newer' ? 'pay_0000000000' : undefined;
        return everyPage(order, (position = start) =>
          storesOf(database).payments(caller, filter as never, { limit: 100, order, position }),
        );
      }),
    );
    expect(other).toEqual(one);
    if ('status' in filter) expect(one?.length).toBeGreaterThan(10);
  }
});

test('intents with their payments are the same in both', async () => {
  const [one, other] = await Promise.all(
    [ofMonths, ofDays].map((database) =>
      everyPage('older', (position) =>
        storesOf(database).intents(SMALL_CALLER, {} as never, {
          limit: 100,
          order: 'older',
          position,
          withPayments: true,
        }),
      ),
    ),
  );
  expect(other).toEqual(one);
  expect(one?.length).toBeGreaterThan(100);
});

test('every page reads at most 500 blocks where days follow months', async () => {
  const meter = await openListMeter(ofDays.url);
  try {
    for (const way of listedWays(PAYMENTS)) {
      const { nodes, ...page } = await meter.measure(way);
      expect({ ...page, few: page.blocks <= MOST_BLOCKS }).toEqual({ ...page, few: true });
      expect(nodes).not.toContain('Seq Scan');
    }
  } finally {
    await meter.close();
  }
}, 60_000);
