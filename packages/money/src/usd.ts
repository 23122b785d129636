// Exact dollars as a caller wrote them: an integer count of 10^-18 dollars. Prices and requests use `Usd`; `UsdMicros`
// is stored for display.

import type { Branded } from './brand.ts';
import { type DecimalRefusal, parseDecimal, parseJsonNumber, printDecimal } from './decimal.ts';

/** Counted in 10^-18 dollars, from 0 to a million million dollars. */
export type Usd = Branded<bigint, 'Usd'>;

export const USD_DECIMALS = 18;
export const MAX_USD = 10n ** 12n * 10n ** 18n;

export type UsdResult =
  | { readonly ok: true; readonly usd: Usd }
  | { readonly ok: false; readonly code: DecimalRefusal };

/** Reads decimal text or a JSON number of at most 18 decimals. 0.1 + 0.2 stays 0.30000000000000004. Never throws. */
export function parseUsd(input: string | number): UsdResult {
  const read =
    typeof input === 'number'
      ? parseJsonNumber(input, USD_DECIMALS, MAX_USD)
      : parseDecimal(input, USD_DECIMALS, MAX_USD);
  return read.ok ? { ok: true, usd: usd(read.scaled) } : read;
}

export function isUsd(value: bigint): value is Usd {
  return value >= 0n && value <= MAX_USD;
}

export function assertUsd(value: bigint): asserts value is Usd {
  if (!isUsd(value)) throw new RangeError('a USD amount lies between 0 and 10^12 dollars');
}

/** From a count of 10^-18 dollars. */
export function usd(value: bigint): Usd {
  assertUsd(value);
  return value;
}

export function printUsd(amount: Usd): string {
  return printDecimal(amount, USD_DECIMALS);
}
