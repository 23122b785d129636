import { expect, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { LOAD_ENTRIES_OF_PROOF } from '../reference/payment-beside.ts';
import { LOCK_BATCH } from '../stranded/record-authorization-outcome.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { TIMELINE } from '../timeline/timeline-statements.ts';
import { bookedRows } from './booked-row.ts';
import { LOAD_LIVE_ENTRIES } from './live-entries.ts';

type Plan = { readonly Plans?: readonly Plan[] } & Readonly<Record<string, unknown>>;
const flat = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)];

const { url } = await createTestDatabase();

// Connections plan on tables that are empty, and keep the plan while these grow.
test.each([
  ['what a reorg takes back', LOAD_LIVE_ENTRIES.text, "'{a}', '{test}', '{p}', '0x'"],
  ['the gas of a batch', LOCK_BATCH.text, "'n', '0x'"],
  ['the payment that a log proves', LOAD_ENTRIES_OF_PROOF.text, "'n', '0x', 'p'"],
  [
    'the ledger check',
    bookedRows("select * from svc.payments where account_id = $1 and mode = 'test' and id = $2"),
    "'a', 'p'",
  ],
  ['the timeline', TIMELINE.entries.text, "'a', 'test', '{p}', 'lg_0'"],
])('entries for %s are found by their payment', async (_, text, values) => {
  const database = openDatabase(url, {
    applicationName: 'plans',
    maxConnections: 1,
    statementTimeoutMs: 30_000,
    byKeys: true,
    onConnectionLost: () => {},
  });
  const client = await database.pool.connect();
  try {
    await client.query(`prepare planned as ${text}`);
    const { rows } = await client.query(`explain (format json) execute planned (${values})`);
    const scans = flat(rows[0]['QUERY PLAN'][0].Plan).filter((node) =>
      /^ledger_(bookings|entry_rows)/.test(String(node['Relation Name'])),
    );
    expect(scans.length).toBeGreaterThan(10);
    expect(scans.filter((node) => !String(node['Index Cond']).includes('payment_id'))).toEqual([]);
  } finally {
    client.release();
    await database.close();
  }
});
