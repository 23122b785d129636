import { bookSettled } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { createConsoleHarness } from '../testing/console-harness.ts';
import { startOverviewFold } from './overview-fold.ts';

test('what is booked is in the figures within five seconds, by the rights of the console, and metrics tell the lag', async () => {
  const { pool, metricsUrl } = await createConsoleHarness();
  const counted = async () => {
    const { rows } = await pool.query('select coalesce(sum(settled), 0)::integer as settled from svc.overview_buckets');
    return rows[0].settled as number;
  };
  for (const expected of [1, 2]) {
    await bookSettled(pool, { accountId: 'acct_a', nowMs: Date.now() });
    await expect.poll(counted, { timeout: 5_000 }).toBe(expected);
  }
  const metrics = await (await fetch(`${metricsUrl}/metrics`)).text();
  expect(metrics).toMatch(/^overview_lag_seconds [0-4](\.\d+)?$/m);
});

test('a fold that fails is told once and tried again, and the lag grows until it works', async () => {
  let [calls, nowMs, broken] = [0, 1_000_000, true];
  const problems: unknown[] = [];
  const fold = startOverviewFold({
    fold: async () => {
      calls += 1;
      if (broken) throw new Error('no database');
      return { busy: false, folded: 0, drained: true, asOfMs: nowMs };
    },
    clock: { nowMs: () => nowMs },
    onProblem: (problem) => problems.push(problem),
  });
  await expect.poll(() => calls, { timeout: 8_000 }).toBeGreaterThan(1);
  nowMs += 90_000;
  expect([problems.length, fold.lagMs()]).toEqual([1, 90_000]);
  broken = false;
  await expect.poll(() => fold.lagMs(), { timeout: 5_000 }).toBe(0);
  await fold.stop();
}, 20_000);
