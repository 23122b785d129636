// Quorum over the answers of several nodes. One node decides nothing while another one answers.

/** Size of the quorum: two equal answers, or one where only one node answered. */
export const votesNeeded = (answered: number): number => Math.min(2, answered);

/**
 * Returns the answers with the most frequent key, if they reach the quorum and outnumber every other key; undefined
 * when nodes contradict each other or too few know. `answered` includes nodes that know nothing.
 */
export function majorityOf<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
  answered = values.length,
): readonly [Value, ...Value[]] | undefined {
  const [largest, second] = [...Map.groupBy(values, keyOf).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  const [first, ...others] = largest ?? [];
  if (first === undefined || largest === undefined || largest.length < votesNeeded(answered)) return undefined;
  return largest.length > (second?.length ?? 0) ? [first, ...others] : undefined;
}

/** Equal for views with the same content. Confirmations are left out: nodes differ by some blocks. */
export function viewKey(view: unknown): string {
  return JSON.stringify(view, (name, value: unknown) => {
    if (name === 'confirmations') return undefined;
    return typeof value === 'bigint' ? value.toString() : value;
  });
}

/** The highest block number that a quorum of nodes has reached. */
export function heightOfMost(heights: readonly [bigint, ...bigint[]]): bigint {
  const sorted = heights.toSorted((one, other) => (one > other ? -1 : 1));
  return sorted[votesNeeded(heights.length) - 1] ?? heights[0];
}
