import { SETTLE_BOUNDS_MS } from '@svc-pay/core';
import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import type { BookedRows } from '../testing/book-settled.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import {
  failOne,
  figuresOf,
  foldAll,
  giveBack,
  type OverviewOwner,
  payAgain,
  payBooked,
  payOther,
  takeBack,
} from '../testing/overview-books.ts';
import { compareOverview } from './compare-overview.ts';
import { foldGeneration, foldOverview } from './fold-overview.ts';
import { readOverview } from './read-overview.ts';
import { rebuildOverview } from './rebuild-overview.ts';

const HOUR_MS = 3_600_000;
const TEN = Date.parse('2026-11-16T10:00:00Z');
const DOLLAR = 10n ** 18n;
const A = { accountId: 'acct_a', mode: 'test' } as const;

async function differences(pool: pg.Pool) {
  const client = await pool.connect();
  try {
    return (await compareOverview(client)).differences;
  } finally {
    client.release();
  }
}

const linesOf = async (pool: pg.Pool, owner: OverviewOwner = A) =>
  (await readOverview(pool, owner, { fromMs: TEN - HOUR_MS, toMs: TEN + 9 * HOUR_MS, interval: 'hour' })).lines;

test('a settled payment is counted with its volume, its gas and its time, and the reversal takes all of it back', async () => {
  const { pool } = await createTestDatabase();
  const paid = await payBooked(pool, {
    ...A,
    nowMs: TEN + 60_000,
    capAtomic: 3_000_000n,
    settledAtomic: 2_000_000n,
    splits: [{ to: `0x${'77'.repeat(20)}`, bps: 1_000 }],
    gasShareAtomic: 900n,
    gasValue: 40n,
    rateAtto: DOLLAR,
    tookMs: 2_600,
  });
  await foldAll(pool);
  expect(await linesOf(pool)).toMatchObject([
    {
      atMs: TEN,
      settled: 1,
      volume: 2_000_000n,
      gas: 900n,
      gasValue: 40n,
      carried: 2_000_000n,
      volumeUsd: 2_000_000n * DOLLAR,
    },
  ]);
  const { times } = await figuresOf(pool);
  expect(times).toMatchObject([{ bin: SETTLE_BOUNDS_MS.filter((bound) => bound <= 2_600).length, count: 1 }]);
  await takeBack(pool, paid, TEN + 2 * HOUR_MS);
  await foldAll(pool);
  // In the hour in which it was counted; the hour of the reorg has nothing.
  expect(await linesOf(pool)).toMatchObject([
    { atMs: TEN, settled: 0, reversals: 1, volume: 0n, gas: 0n, gasValue: 0n, carried: 0n, volumeUsd: 0n, gasUsd: 0n },
  ]);
  expect((await figuresOf(pool))['times']).toMatchObject([{ count: 0 }]);
  await payAgain(pool, paid, { nowMs: TEN + 3 * HOUR_MS, gasValue: 55n });
  await foldAll(pool);
  expect(await linesOf(pool)).toMatchObject([{ settled: 0 }, { atMs: TEN + 3 * HOUR_MS, settled: 1, gasValue: 55n }]);
});

test('bins are those that percentiles are read from', async () => {
  const { pool } = await createTestDatabase();
  const { rows } = await pool.query(
    'select ms::integer, svc.settle_bin(ms - 1) as below, svc.settle_bin(ms) as at from unnest($1::bigint[]) as ms order by ms',
    [SETTLE_BOUNDS_MS],
  );
  expect(rows).toEqual(SETTLE_BOUNDS_MS.map((ms, index) => ({ ms, below: index, at: index + 1 })));
});

test('refunds, failures and money of another amount are counted, and what is accepted is completed', async () => {
  const { pool } = await createTestDatabase();
  const paid = await payBooked(pool, { ...A, nowMs: TEN, rateAtto: DOLLAR });
  await giveBack(pool, paid, 300_000n, TEN + HOUR_MS);
  for (const why of ['insufficient_funds', 'insufficient_funds', 'authorization_expired'])
    await failOne(pool, A, why, TEN);
  const accept = await payOther(pool, A, TEN);
  await payOther(pool, A, TEN);
  await foldAll(pool);
  const total = async () => {
    const lines = await linesOf(pool);
    const sum = (of: 'settled' | 'mismatched' | 'failed' | 'refunds') => lines.reduce((n, line) => n + line[of], 0);
    return { settled: sum('settled'), mismatched: sum('mismatched'), failed: sum('failed'), refunds: sum('refunds') };
  };
  expect(await total()).toEqual({ settled: 3, mismatched: 2, failed: 3, refunds: 1 });
  expect((await linesOf(pool)).find(({ refunds }) => refunds > 0)).toMatchObject({
    atMs: TEN + HOUR_MS,
    refunded: 300_000n,
    refundedUsd: 300_000n * DOLLAR,
    volume: 0n,
  });
  await accept();
  await foldAll(pool);
  expect(await total()).toEqual({ settled: 3, mismatched: 1, failed: 3, refunds: 1 });
  expect((await figuresOf(pool))['failures']).toMatchObject([
    { code: 'authorization_expired', count: 1 },
    { code: 'insufficient_funds', count: 2 },
  ]);
  expect(await differences(pool)).toEqual([]);
});

test('a transaction that commits late is not skipped, and until then no later time is claimed', async () => {
  const { pool, url } = await createTestDatabase();
  const slow = new pg.Client({ connectionString: url });
  await slow.connect();
  await slow.query('begin');
  // It has its position now.
  await slow.query('select pg_current_xact_id()');
  const beganMs = Date.now();
  const paid = await payBooked(pool, { ...A, nowMs: TEN });
  for (let times = 0; times < 5; times += 1) {
    const { asOfMs } = await foldOverview(pool);
    expect(asOfMs ?? 0).toBeLessThanOrEqual(beganMs);
    expect(await linesOf(pool)).toEqual([]);
  }
  await slow.query(
    `insert into svc.ledger_entries select account_id, mode, 'lg_late' || id, payment_id, network, asset, account_name, party,
       amount, transaction_id, log_index, reverses, created_at from svc.ledger_entries where payment_id = $1`,
    [paid.paymentId],
  );
  await slow.query('commit');
  await slow.end();
  await foldAll(pool);
  await foldAll(pool);
  expect(await linesOf(pool)).toMatchObject([{ settled: 2, volume: 2_000_000n }]);
});

test('a process that dies in the middle of a fold has folded nothing, and the next one folds it once', async () => {
  const { pool, url } = await createTestDatabase();
  for (let n = 0; n < 3; n += 1) await payBooked(pool, { ...A, nowMs: TEN + n });
  const dying = new pg.Client({ connectionString: url });
  dying.on('error', () => {});
  await dying.connect();
  await expect
    .poll(async () => {
      await dying.query('begin');
      const { rows } = await dying.query('select folded, pg_backend_pid() as pid from svc.fold_overview()');
      if (rows[0].folded < 3) await dying.query('rollback');
      else await pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
      return rows[0].folded;
    })
    .toBe(3);
  expect(await linesOf(pool)).toEqual([]);
  await expect.poll(async () => (await foldOverview(pool)).busy).toBe(false);
  await foldAll(pool);
  expect(await linesOf(pool)).toMatchObject([{ settled: 3 }]);
});

test('many processes fold at once, in small steps, beside payments: each payment is counted once', async () => {
  const { pool } = await createTestDatabase();
  let paying = true;
  const isPaying = () => paying;
  const folds = Array.from({ length: 4 }, async () => {
    while (isPaying()) await foldGeneration(pool, 1, 2);
  });
  for (let n = 0; n < 30; n += 1) await payBooked(pool, { ...A, nowMs: TEN + n, capAtomic: BigInt(n + 1) * 1_000n });
  paying = false;
  await Promise.all(folds);
  await foldAll(pool);
  expect(await linesOf(pool)).toMatchObject([{ settled: 30, volume: 465_000n }]);
  expect(await differences(pool)).toEqual([]);
});

const OWNERS = [A, { accountId: 'acct_a', mode: 'live' }, { accountId: 'acct_b', mode: 'test' }] as const;
const someStep = fc.record({
  owner: fc.constantFrom(...OWNERS),
  kind: fc.constantFrom('pay', 'pay', 'reverse', 'again', 'refund', 'fail', 'other', 'accept', 'fold'),
  hour: fc.integer({ min: 0, max: 3 }),
  amount: fc.bigInt({ min: 1_000n, max: 10n ** 24n }),
  gas: fc.option(fc.bigInt({ min: 1n, max: 10n ** 15n })),
  feeBps: fc.constantFrom(0, 100),
  rate: fc.option(fc.bigInt({ min: 1n, max: 10n ** 20n })),
  pick: fc.nat(),
});

test('whatever the order of payments and folds, the figures are those of one fold over everything, and the sums of the books', async () => {
  const { pool } = await createTestDatabase();
  type Held = { readonly owner: OverviewOwner; booked: BookedRows; live: boolean };
  const [held, accepts]: [Held[], (() => Promise<void>)[]] = [[], []];
  const pickOf = (live: boolean, pick: number) => {
    const some = held.filter((one) => one.live === live);
    return some[pick % some.length];
  };
  for (const { owner, kind, hour, amount, gas, feeBps, rate, pick } of fc.sample(someStep, { numRuns: 150, seed: 7 })) {
    const nowMs = TEN + hour * HOUR_MS + (pick % 1_000);
    if (kind === 'pay') {
      const gasWish = gas === null ? {} : { gasShareAtomic: gas, gasValue: gas % 97n };
      const wish = { ...owner, nowMs, capAtomic: amount, feeBps, tookMs: pick % 20_000, ...gasWish };
      held.push({
        owner,
        booked: await payBooked(pool, rate === null ? wish : { ...wish, rateAtto: rate }),
        live: true,
      });
    }
    const one = pickOf(kind !== 'again', pick);
    if (kind === 'reverse' && one !== undefined) {
      await takeBack(pool, one.booked, nowMs);
      one.live = false;
    }
    if (kind === 'again' && one !== undefined) {
      one.booked = await payAgain(pool, one.booked, { nowMs, gasValue: gas });
      one.live = true;
    }
    if (kind === 'refund' && one !== undefined) await giveBack(pool, one.booked, 500n, nowMs);
    if (kind === 'fail') await failOne(pool, owner, `code_${pick % 3}`, nowMs);
    if (kind === 'other') accepts.push(await payOther(pool, owner, nowMs));
    if (kind === 'accept') await accepts.pop()?.();
    if (kind === 'fold') await foldGeneration(pool, 1, 3);
  }
  // Also while some of it is not folded yet.
  expect(await differences(pool)).toEqual([]);
  await foldAll(pool);
  const step = await figuresOf(pool);
  const { generation } = await rebuildOverview(pool);
  expect(generation).toBe(2);
  expect(await figuresOf(pool)).toEqual(step);
  const { rows } = await pool.query(
    `select account_id, mode, network, sum(amount) filter (where account_name in ('merchant', 'platform_fee')) as net
     from svc.ledger_entries group by 1, 2, 3 order by 1, 2, 3`,
  );
  const { rows: folded } = await pool.query(
    `select account_id, mode, network, sum(volume_amount) - sum(refunded_amount) as net
     from svc.overview_buckets group by 1, 2, 3 order by 1, 2, 3`,
  );
  expect(folded).toEqual(rows);
  expect(await differences(pool)).toEqual([]);
  expect((await pool.query('select distinct generation from svc.overview_buckets')).rows).toEqual([{ generation }]);
}, 60_000);
