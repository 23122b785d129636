import { describe, expect, test } from 'vitest';
import type { OverviewLine } from './overview-rows.ts';
import { overviewView, readOverviewRange } from './overview-view.ts';
import { settlePercentile } from './settle-times.ts';

const DAY_MS = 86_400_000;
const FROM = Date.parse('2026-11-16T00:00:00Z');
const RANGE = { fromMs: FROM, toMs: FROM + 2 * DAY_MS, interval: 'day' } as const;
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';

const line = (given: Partial<OverviewLine>): OverviewLine => ({
  atMs: FROM,
  network: 'eip155:84532',
  asset: USDC,
  settled: 0,
  unpriced: 0,
  mismatched: 0,
  failed: 0,
  canceled: 0,
  refunds: 0,
  reversals: 0,
  volume: 0n,
  refunded: 0n,
  gas: 0n,
  gasValue: 0n,
  carried: 0n,
  volumeUsd: 0n,
  refundedUsd: 0n,
  gasUsd: 0n,
  carriedUsd: 0n,
  ...given,
});
const view = (lines: readonly OverviewLine[]) => overviewView(RANGE, { asOfMs: FROM, lines, times: [], failures: [] });

describe('the overview', () => {
  test('adds tokens and days up, and divides sums, not shares', () => {
    const rate = 10n ** 18n;
    const a = { settled: 9, failed: 1, volume: 9_000_000n, volumeUsd: 9_000_000n * rate };
    const gas = { gasValue: 900n, gasUsd: 900n * rate, carried: 9_000_000n, carriedUsd: 9_000_000n * rate };
    const { total, points } = view([
      line({ ...a, ...gas }),
      line({ atMs: FROM + DAY_MS, settled: 1, volume: 1_000_000n, volumeUsd: 1_000_000n * rate }),
    ]);
    expect(points.map(({ at, successRate, gasShare }) => [at, successRate, gasShare])).toEqual([
      ['2026-11-16T00:00:00.000Z', '0.900000', '0.000100'],
      ['2026-11-17T00:00:00.000Z', '1.000000', null],
    ]);
    expect(total).toMatchObject({ completed: 10, successRate: '0.909090', volumeUsd: '10', gasUsd: '0.0009' });
    // Payments of which the value of gas is not known do not make gas look cheaper.
    expect(total.gasShare).toBe('0.000100');
  });

  test('calls mismatched money not completed, and shows nothing below zero', () => {
    expect(view([line({ settled: 2, mismatched: 2 })]).total).toMatchObject({
      completed: 0,
      mismatched: 2,
      successRate: null,
    });
    expect(view([line({ settled: -1, volume: -5n, volumeUsd: -5n })]).total).toMatchObject({
      completed: 0,
      volumeUsd: '0',
    });
  });

  test('has no dollars of a token whose decimals it does not know', () => {
    const { total } = view([line({ asset: '0xgone', settled: 1, volume: 7n, volumeUsd: 7n * 10n ** 30n })]);
    expect(total).toMatchObject({ volumeUsd: '0', tokens: [{ tokenShortcode: null, decimals: 0, volume: '7' }] });
  });
});

test('a range is whole intervals, and at most 400 of them', () => {
  const read = (fromMs: number, toMs: number) => readOverviewRange({ fromMs, toMs, interval: 'day' });
  expect(read(FROM + 1, FROM + DAY_MS + 1)).toEqual(RANGE);
  expect(read(FROM, FROM + 400 * DAY_MS)).toBeDefined();
  expect(read(FROM, FROM + 400 * DAY_MS + 1)).toBeUndefined();
  expect(read(FROM, FROM)).toBeUndefined();
});

test('a percentile lies in the bin that has it, and there is none without payments', () => {
  expect(settlePercentile([], 50)).toBeUndefined();
  expect(settlePercentile([{ bin: 3, count: 0 }], 50)).toBeUndefined();
  // Between 2,000 and 2,500 ms.
  expect(settlePercentile([{ bin: 9, count: 10 }], 50)).toBe(2_250);
  const bins = [
    { bin: 20, count: 5 },
    { bin: 1, count: 95 },
  ];
  expect(settlePercentile(bins, 95)).toBe(200);
  expect(settlePercentile(bins, 96)).toBeGreaterThan(14_000);
  expect(settlePercentile([{ bin: 37, count: 1 }], 95)).toBe(86_400_000);
});
