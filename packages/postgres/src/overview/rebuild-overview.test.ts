import { expect, test } from 'vitest';
import { withBooks } from '../ledger/open-books.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { logInAs } from '../testing/log-in-as.ts';
import { failOne, figuresOf, foldAll, giveBack, payBooked } from '../testing/overview-books.ts';
import { foldOverview } from './fold-overview.ts';
import { readOverview } from './read-overview.ts';
import { rebuildOverview } from './rebuild-overview.ts';

const TEN = Date.parse('2026-11-16T10:00:00Z');
const A = { accountId: 'acct_a', mode: 'test' } as const;
const RANGE = { fromMs: TEN, toMs: TEN + 3_600_000, interval: 'hour' } as const;

async function booked() {
  const { pool, url } = await createTestDatabase();
  const paid = await payBooked(pool, { ...A, nowMs: TEN, gasShareAtomic: 9n, gasValue: 4n, rateAtto: 3n });
  await payBooked(pool, { ...A, nowMs: TEN, tookMs: 900 });
  await giveBack(pool, paid, 7n, TEN);
  await failOne(pool, A, 'insufficient_funds', TEN);
  await foldAll(pool);
  return { pool, url };
}

const settled = async (pool: Awaited<ReturnType<typeof booked>>['pool']) =>
  (await readOverview(pool, A, RANGE)).lines.reduce((sum, line) => sum + line.settled, 0);

test('a rebuild gives the same figures, and while it goes on nothing of them is missing', async () => {
  const { pool } = await booked();
  const before = await figuresOf(pool);
  let rebuilding = true;
  const isRebuilding = () => rebuilding;
  const looks: number[] = [];
  const looking = (async () => {
    do looks.push(await settled(pool));
    while (isRebuilding());
  })();
  const [first, second] = [await rebuildOverview(pool), await rebuildOverview(pool)];
  rebuilding = false;
  await looking;
  expect([first.generation, second.generation, first.folded]).toEqual([2, 3, second.folded]);
  expect(new Set(looks)).toEqual(new Set([2]));
  expect(await figuresOf(pool)).toEqual(before);
  await payBooked(pool, { ...A, nowMs: TEN });
  await foldAll(pool);
  expect(await settled(pool)).toBe(3);
});

test('a rebuild that was broken off leaves the figures as they are, and the next one removes what it left', async () => {
  const { pool } = await booked();
  const before = await figuresOf(pool);
  await expect(
    rebuildOverview(pool, () => {
      throw new Error('stopped');
    }),
  ).rejects.toThrow('stopped');
  expect(await figuresOf(pool)).toEqual(before);
  await rebuildOverview(pool);
  expect(await figuresOf(pool)).toEqual(before);
  const { rows } = await pool.query(
    'select generation, shown from svc.overview_cursors union select generation, null from svc.overview_buckets order by 1, 2',
  );
  expect(rows.map(({ generation }) => generation)).toEqual([3, 3]);
});

const COLUMNS = [
  'settled',
  'unpriced',
  'mismatched',
  'failed',
  'canceled',
  'refunds',
  'volume_amount',
  'refunded_amount',
  'gas_amount',
  'gas_value_amount',
  'carried_amount',
  'volume_usd_amount',
  'refunded_usd_amount',
  'gas_usd_amount',
  'carried_usd_amount',
];

test('somebody who changes a figure is found out, whichever it is, and a rebuild corrects it', async () => {
  const { pool } = await booked();
  const differing = () => withBooks(pool, async (books) => (await books.overview()).differences);
  expect(await differing()).toEqual([]);
  for (const column of COLUMNS) {
    await pool.query(`update svc.overview_buckets set ${column} = ${column} + 1 where settled > 0`);
    // A failed payment more than there are reasons is a difference too.
    const reasons = column === 'failed' ? [{ ...A, figure: 'reasons', missing: 1n }] : [];
    expect(await differing(), column).toMatchObject([...reasons, { ...A, figure: column, missing: -1n }]);
    await pool.query(`update svc.overview_buckets set ${column} = ${column} - 1 where settled > 0`);
  }
  await pool.query(`update svc.overview_failures set count = 5`);
  expect(await differing()).toMatchObject([{ figure: 'reasons', missing: -4n }]);
  await pool.query('delete from svc.overview_buckets');
  expect((await differing()).length).toBeGreaterThan(5);
  await rebuildOverview(pool);
  expect(await differing()).toEqual([]);
});

test('the role of the console folds, and neither reads nor writes the books or the figures', async () => {
  const { pool, url } = await booked();
  const consoleRole = await logInAs(pool, url, 'svc_console');
  await payBooked(pool, { ...A, nowMs: TEN });
  await expect
    .poll(async () => {
      await foldOverview(consoleRole);
      return settled(pool);
    })
    .toBe(3);
  for (const statement of [
    'select * from svc.overview_buckets',
    'select * from svc.ledger_entries',
    'select * from svc.payment_changes',
    'update svc.overview_cursors set as_of = now()',
    'delete from svc.overview_buckets',
    'select * from svc.fold_generation(1, 10)',
    `select * from svc.overview_of_bookings(-1, '', 9, 9)`,
  ])
    await expect(consoleRole.query(statement), statement).rejects.toMatchObject({ code: '42501' });
});
