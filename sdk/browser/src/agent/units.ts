// Amounts as limits count them: one whole dollar token is 1, whatever its decimals are. Integers at 18 decimals, so that
// every amount of a token has its exact value and nothing is rounded.
import { isAtomicAmount, parseTokenAmount, printTokenAmount, token, tokenAmount } from '@svc-pay/money';

const LIMIT = token('limit', 18);

/** Most decimals that a token may have. */
export const MAX_DECIMALS = LIMIT.decimals;

/** Undefined when the text is no decimal number, is negative or has more than 18 decimals. */
export function parseUnits(text: string): bigint | undefined {
  const read = parseTokenAmount(text, LIMIT);
  return read.ok ? read.amount.atomic : undefined;
}

/** Undefined for more than can be counted. */
export function unitsOf(atomic: bigint, decimals: number): bigint | undefined {
  const units = atomic * 10n ** BigInt(MAX_DECIMALS - decimals);
  return isAtomicAmount(units) ? units : undefined;
}

export function printUnits(units: bigint): string {
  return printTokenAmount(tokenAmount(LIMIT, units));
}
