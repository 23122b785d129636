/** The value below which `share` of the values lie; NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The value in the middle; 0 without values. */
export function median(values: readonly number[]): number {
  return values.length === 0 ? 0 : quantile(values, 0.5);
}
