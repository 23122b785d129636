import { printSigned, readSigned } from '@svc-pay/money';
import type { StatementLine } from '@svc-pay/protocol/merchant';

const AMOUNTS = ['gross', 'fee', 'splits', 'refund', 'escrow', 'net', 'refunded'] as const;

/** Adds the lines of a part of a day to those before it, by chain and token, without a rounding. */
export function addLines(before: readonly StatementLine[], part: readonly StatementLine[]): readonly StatementLine[] {
  const lines = new Map(before.map((line) => [`${line.chain} ${line.asset}`, line]));
  for (const line of part) {
    const key = `${line.chain} ${line.asset}`;
    const known = lines.get(key);
    lines.set(key, known === undefined ? line : sumOf(known, line));
  }
  return [...lines.values()];
}

function sumOf(one: StatementLine, other: StatementLine): StatementLine {
  const { decimals, gasDecimals } = one;
  const amounts = AMOUNTS.map((name) => [name, addAmounts(one[name], other[name], decimals)]);
  return {
    ...one,
    ...Object.fromEntries(amounts),
    gas: addAmounts(one.gas, other.gas, gasDecimals),
    payments: one.payments + other.payments,
    reversals: one.reversals + other.reversals,
    refunds: one.refunds + other.refunds,
  };
}

function addAmounts(one: string, other: string, decimals: number): string {
  return printSigned(readSigned(one, decimals) + readSigned(other, decimals), decimals);
}
