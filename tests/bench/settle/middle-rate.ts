const MIDDLE = { from: 0.15, to: 0.85 };

/** Completions a second over their middle 70 %: neither the first block nor the last stragglers count. */
export function middleRate(atMs: readonly number[]): number {
  const sorted = atMs.toSorted((one, other) => one - other);
  const [first, last] = [MIDDLE.from, MIDDLE.to].map((share) => Math.floor((sorted.length - 1) * share));
  const [startMs, endMs] = [sorted[first ?? 0], sorted[last ?? 0]];
  if (startMs === undefined || endMs === undefined || endMs <= startMs) return 0;
  return (((last ?? 0) - (first ?? 0)) * 1_000) / (endMs - startMs);
}
