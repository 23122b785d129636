import type { StatementTotals } from '@svc-pay/protocol/merchant';

const AMOUNTS = ['gross', 'fee', 'splits', 'refund', 'escrow', 'net'] as const;

/** Adds the lines of a part of a day to those before it, by chain and token, without a rounding. */
export function addLines(
  before: readonly StatementTotals[],
  part: readonly StatementTotals[],
): readonly StatementTotals[] {
  const lines = new Map(before.map((line) => [`${line.chain} ${line.asset}`, line]));
  for (const line of part) {
    const key = `${line.chain} ${line.asset}`;
    const known = lines.get(key);
    lines.set(key, known === undefined ? line : sumOf(known, line));
  }
  return [...lines.values()];
}

function sumOf(one: StatementTotals, other: StatementTotals): StatementTotals {
  const { decimals, gasDecimals } = one;
  const amounts = AMOUNTS.map((name) => [name, addAmounts(one[name], other[name], decimals)]);
  return {
    ...one,
    ...Object.fromEntries(amounts),
    gas: addAmounts(one.gas, other.gas, gasDecimals),
    payments: one.payments + other.payments,
    reversals: one.reversals + other.reversals,
  };
}

function addAmounts(one: string, other: string, decimals: number): string {
  return print(units(one, decimals) + units(other, decimals), decimals);
}

function units(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const atomic = BigInt(`${whole}${fraction.padEnd(decimals, '0')}`);
  return text.startsWith('-') ? -atomic : atomic;
}

function print(atomic: bigint, decimals: number): string {
  const digits = (atomic < 0n ? -atomic : atomic).toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - decimals);
  return `${atomic < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
