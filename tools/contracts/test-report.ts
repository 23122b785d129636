// Reads what `forge test --json` prints.

export type TestReport = {
  readonly passed: number;
  readonly failures: readonly string[];
  /** Calls that the invariant campaigns made, together. */
  readonly invariantCalls: number;
  /** Runs of the fuzz test that had the fewest. */
  readonly fewestFuzzRuns: number;
};

type ForgeResult = {
  status: string;
  reason: string | null;
  kind: { Invariant?: { calls: number }; Fuzz?: { runs: number } };
};
type ForgeJson = Record<string, { test_results: Record<string, ForgeResult> }>;

/** The JSON is the last line that starts with a brace: progress and warnings may stand before it. */
export function readReport(output: string): TestReport {
  const line = output
    .split('\n')
    .filter((text) => text.startsWith('{"'))
    .findLast((text) => text.includes('test_results'));
  if (line === undefined) return { passed: 0, failures: [], invariantCalls: 0, fewestFuzzRuns: 0 };
  const failures: string[] = [];
  let passed = 0;
  let invariantCalls = 0;
  let fewestFuzzRuns = Infinity;
  for (const [contract, { test_results: results }] of Object.entries(JSON.parse(line) as ForgeJson)) {
    for (const [test, result] of Object.entries(results)) {
      invariantCalls += result.kind.Invariant?.calls ?? 0;
      fewestFuzzRuns = Math.min(fewestFuzzRuns, result.kind.Fuzz?.runs ?? Infinity);
      if (result.status === 'Success') passed += 1;
      else if (result.status !== 'Skipped') failures.push(`${contract} ${test}: ${result.reason ?? result.status}`);
    }
  }
  return { passed, failures, invariantCalls, fewestFuzzRuns };
}
