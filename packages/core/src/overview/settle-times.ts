// Times to settle as counts between fixed bounds: counts of hours add up, and a percentile is read from any sum of them.

/** Milliseconds, as `svc.settle_bin` has them. Bin 0 is below the first, bin `n` begins with bound `n - 1`. */
export const SETTLE_BOUNDS_MS: readonly number[] = [
  100, 200, 300, 400, 500, 700, 1_000, 1_400, 2_000, 2_500, 3_000, 3_500, 4_000, 5_000, 6_000, 7_000, 8_000, 10_000,
  12_000, 14_000, 17_000, 20_000, 25_000, 30_000, 40_000, 50_000, 60_000, 80_000, 100_000, 120_000, 180_000, 300_000,
  600_000, 1_200_000, 3_600_000, 14_400_000, 86_400_000,
];

type Bin = { readonly bin: number; readonly count: number };

/**
 * Within its bin, payments count as evenly spread. Of the last bin, which has no end, the begin is told. Undefined without
 * payments.
 */
export function settlePercentile(bins: readonly Bin[], percent: number): number | undefined {
  const counted = bins.filter(({ count }) => count > 0).toSorted((a, b) => a.bin - b.bin);
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  const wanted = (total * percent) / 100;
  let below = 0;
  for (const { bin, count } of counted) {
    if (below + count >= wanted) {
      const from = SETTLE_BOUNDS_MS[bin - 1] ?? 0;
      const to = SETTLE_BOUNDS_MS[bin] ?? from;
      return Math.round(from + ((to - from) * (wanted - below)) / count);
    }
    below += count;
  }
  return undefined;
}
