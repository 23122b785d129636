import { randomUUID } from 'node:crypto';
import { type AbuseCount, createAbuseCounts } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { idAt } from '../testing/id-at.ts';
import { insertRow, insertRows } from '../testing/sample-rows.ts';
import { readAbuse, readGasLosses } from './read-abuse.ts';
import { deleteOldAbuseCounts, writeAbuseCounts } from './write-abuse-counts.ts';

const { pool } = await createTestDatabase();
const HOUR_MS = 3_600_000;
const HOURS_MS = Date.parse('2026-11-15T12:00:00Z');
const counted = (subject: string, count: number, change: Partial<AbuseCount> = {}): AbuseCount => ({
  cause: 'refused',
  kind: 'address',
  subject,
  count,
  paid: 0,
  ...change,
});

test('the hours of all processes are added up; of created intents those count that nobody paid', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const created = { cause: 'created', kind: 'account' } as const;
  await writeAbuseCounts(pool, one, { hourMs: HOURS_MS, counts: [counted('aa', 5), counted('bb', 1)] });
  await writeAbuseCounts(pool, one, {
    hourMs: HOURS_MS,
    counts: [counted('aa', 7), counted('shop', 50, { ...created, paid: 50 }), counted('flood', 9, created)],
  });
  await writeAbuseCounts(pool, other, { hourMs: HOURS_MS, counts: [counted('aa', 3), counted('cc', 2)] });
  await writeAbuseCounts(pool, other, { hourMs: HOURS_MS - HOUR_MS, counts: [counted('aa', 100)] });

  expect(await readAbuse(pool, HOURS_MS + 1, 10)).toEqual([
    counted('aa', 10),
    counted('cc', 2),
    counted('flood', 9, created),
  ]);
  expect(await readAbuse(pool, HOURS_MS - 1, 1)).toEqual([counted('aa', 110), counted('flood', 9, created)]);

  await deleteOldAbuseCounts(pool, HOURS_MS);
  expect((await readAbuse(pool, 0, 1))[0]).toEqual(counted('aa', 10));
});

test('a process that meets only new names writes no more rows than it may', async () => {
  const process = randomUUID();
  const counts = createAbuseCounts({ kept: 100, listed: 20 });
  for (let round = 0; round < 20; round += 1) {
    for (let index = 0; index < 500; index += 1) counts.add('refused', { address: `${round}/${index}` }, HOURS_MS);
    for (const page of counts.toWrite()) await writeAbuseCounts(pool, process, page);
  }
  const { rows } = await pool.query('select count(*)::integer as rows from svc.abuse_counts where process = $1', [
    process,
  ]);
  expect(rows[0].rows).toBeLessThanOrEqual(20);
});

test('gas that settled nothing is added up by account and payer, without what a reorg reversed', async () => {
  await insertRow(pool, 'relayers');
  const at = (n: number) => idAt('lg', HOURS_MS + n);
  await insertRows(pool, 'gas_losses', [
    { id: at(1), payer: '0xaa', amount: '5' },
    { id: at(2), payer: '0xaa', amount: '7' },
    { id: at(3), payer: '0xbb', amount: '100' },
    { id: at(4), payer: '0xcc', amount: '9' },
    { id: at(5), payer: '0xcc', amount: '-9', reverses: at(4) },
    { id: idAt('lg', HOURS_MS - 1), payer: '0xbb', amount: '1000' },
  ]);
  const totals = await readGasLosses(pool, HOURS_MS, 10);
  expect(totals.map(({ payer, lossAtomic, losses }) => [payer, lossAtomic, losses])).toEqual([
    ['0xbb', 100n, 1],
    ['0xaa', 12n, 2],
  ]);
});
