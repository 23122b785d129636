// Pages of lists among 100,000 payments of ten years in 121 months: what they read, by the generic plans of the API and under
// its role. `npm run bench -- lists` asks the same of a million.
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';
import { fillListed, listedWays, openListMeter } from '../testing/listed-payments.ts';

const PAYMENTS = 100_000;
const { pool, url } = await createTestDatabase();
await fillListed(pool, { payments: PAYMENTS, unpaid: 0 });

/** No sequential scan, no sort, no bitmap: the index of the filter in its order, and rows by key. */
const NODES = [
  'Append',
  'Function Scan',
  'Index Only Scan',
  'Index Scan',
  'Limit',
  'Merge Append',
  'Nested Loop',
  'Result',
  'Subquery Scan',
];
/** The timeline sorts the rows of one intent, which are few, to keep the newest of them. */
const ALSO: Readonly<Record<string, readonly string[]>> = { 'a timeline': ['Sort'] };
const MOST_BLOCKS = 500;
/** Of the pages of a walk over many months, which looks at a row of each. Every full page looks at one row behind it. */
const MONTHS_SLACK = 121;

async function judge() {
  const meter = await openListMeter(url);
  try {
    for (const way of listedWays(PAYMENTS)) {
      const page = await meter.measure(way);
      const { name, given, blocks, rowsRead, nodes } = page;
      const allowed = [...NODES, ...(ALSO[name] ?? [])];
      expect({ name, others: nodes.filter((node) => !allowed.includes(node)) }).toEqual({ name, others: [] });
      expect({ ...page, few: blocks <= MOST_BLOCKS }).toEqual({ ...page, few: true });
      expect({ ...page, few: rowsRead <= Math.max(3 * given + 1, MONTHS_SLACK) }).toEqual({ ...page, few: true });
    }
  } finally {
    await meter.close();
  }
}

test(
  'every page reads at most 500 blocks, and three rows for each that it gives, in tables without statistics',
  judge,
  60_000,
);

test('the same when the planner knows the tables', { timeout: 60_000 }, async () => {
  await pool.query('vacuum (analyze)');
  await judge();
});
