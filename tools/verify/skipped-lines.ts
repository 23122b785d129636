/** Lines in which a check names what it left out: `advisories: SKIPPED, the registry gives no advice`. A green row hides no skip. */
export function skippedLines(log: string): string[] {
  return log.split('\n').filter((line) => /^[^\s:]+: SKIPPED\b/.test(line));
}
