// Compares gas figures with the committed ones. Less is always fine; a little more is noise of a refactoring.

export const GAS_FIGURES = [
  'bare',
  'single_exact',
  'batch100',
  'batch100_upto',
  'batch100_merchants',
  'direct_single',
  'direct100',
  'direct100_merchants',
  // The token's own work of these two, without any contract before it.
  'token100',
  'token100_merchants',
] as const;
export type GasFigures = Record<(typeof GAS_FIGURES)[number] | 'size_bytes', number>;

/** How much a figure may grow before it is a regression, in percent. */
const TOLERANCE_PERCENT = 2;

/** One sentence per figure that grew too much; empty when all is well. */
export function regressions(committed: GasFigures, measured: GasFigures, maxCodeBytes: number): string[] {
  const grown = GAS_FIGURES.filter((name) => measured[name] * 100 > committed[name] * (100 + TOLERANCE_PERCENT)).map(
    (name) => `${name} grew from ${committed[name]} to ${measured[name]} gas, more than ${TOLERANCE_PERCENT} %`,
  );
  if (measured.size_bytes >= maxCodeBytes) {
    grown.push(`the contract has ${measured.size_bytes} bytes, it must stay under ${maxCodeBytes}`);
  }
  return grown;
}
