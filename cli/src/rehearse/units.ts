// Amounts of exports: whole coins as decimal text, read and written to the smallest unit.

/** Throws a RangeError for text that is no amount with so many decimals. */
export function readUnits(text: string, decimals: number): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (sign === undefined || fraction.length > decimals) throw new RangeError(`${text} has no ${decimals} decimals`);
  const atomic = BigInt(`${whole}${fraction.padEnd(decimals, '0')}`);
  return sign === '-' ? -atomic : atomic;
}

export function printUnits(atomic: bigint, decimals: number): string {
  const digits = (atomic < 0n ? -atomic : atomic).toString().padStart(decimals + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
  const shown = fraction.replace(/0+$/, '');
  return `${atomic < 0n ? '-' : ''}${whole}${shown === '' ? '' : `.${shown}`}`;
}
