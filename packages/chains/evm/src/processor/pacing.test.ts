import type { LaneItem } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { runPacedLane } from '../testing/paced-lane.ts';
import { sampleItem } from '../testing/sample-item.ts';

/** The defaults of settlement. */
const PACE = {
  maxInFlight: 16,
  gatherMs: 200,
  pollMs: 100,
  resendMs: 5_000,
  linkMs: 0,
  bumpMs: 60_000,
  deferMs: 0,
  troubleMs: 0,
};
const MINUTE_MS = 60_000;
const splits = ['0xe0', '0xe1'].map((to) => ({ to, bps: 10 }));
const itemOf =
  (merchants: number) =>
  (count: number): LaneItem => {
    const merchant = count % merchants;
    const payout = { id: BigInt(merchant), merchant: `0xd${merchant}`, feeBps: 50, splits };
    return sampleItem(count, { payout, validBeforeSeconds: 100_000n });
  };
const run = async (load: Parameters<typeof runPacedLane>[0]['load'], merchants: number) => {
  const ran = await runPacedLane({ load, itemOf: itemOf(merchants), pace: PACE, forMs: MINUTE_MS });
  return { ...ran, perSecond: ran.payments / 60, perTransaction: ran.payments / ran.transactions };
};

// What a lane carries that waits for 200 payments, or 200 ms for each transaction in flight, stands beside each row.
describe('a lane with blocks of a second carries, with its payments in how many transactions,', () => {
  test.each([
    [{ atOnce: 32 }, 1, { perSecond: 31, perTransaction: 30 }], // 31, 31
    [{ atOnce: 256 }, 1, { perSecond: 250, perTransaction: 80 }], // 252, 125
    [{ atOnce: 1_024 }, 1, { perSecond: 700, perTransaction: 150 }], // 608, 171
    [{ atOnce: 32 }, 1_000, { perSecond: 31, perTransaction: 30 }], // 31, 31
    [{ atOnce: 256 }, 1_000, { perSecond: 250, perTransaction: 80 }], // 192, 48
    [{ atOnce: 1_024 }, 1_000, { perSecond: 600, perTransaction: 85 }], // 337, 47
    [{ perSecond: 8 }, 1, { perSecond: 7, perTransaction: 2.5 }], // 8, 3
    [{ perSecond: 32 }, 1, { perSecond: 30, perTransaction: 9 }], // 31, 10
    [{ perSecond: 256 }, 1, { perSecond: 245, perTransaction: 60 }], // 251, 100
    [{ perSecond: 256 }, 1_000, { perSecond: 245, perTransaction: 50 }], // 248, 48
  ])('a load of %o of %d merchants', async (load, merchants, least) => {
    const { perSecond, perTransaction, longestWaitMs } = await run(load, merchants);
    expect(perSecond).toBeGreaterThan(least.perSecond);
    expect(perTransaction).toBeGreaterThan(least.perTransaction);
    expect(longestWaitMs).toBeLessThan(1_000);
  });
});

// With whole heads of 200 it was 1.76 times, with short ones 1.36.
test('a lane with a backlog reads few payments more than once', async () => {
  const { read, payments } = await run({ atOnce: 1_024 }, 1_000);
  expect(read / payments).toBeLessThan(1.5);
});
