// Dollars as stored and shown: an integer count of millionths, which fits a signed 64-bit column.

import type { Branded } from './brand.ts';
import { printDecimal } from './decimal.ts';
import { divide, type Rounding } from './rounding.ts';
import { USD_DECIMALS, type Usd, usd } from './usd.ts';

/** Counted in 10^-6 dollars, from 0 to a million million dollars. */
export type UsdMicros = Branded<bigint, 'UsdMicros'>;

export const USD_MICROS_DECIMALS = 6;
const USD_PER_MICRO = 10n ** BigInt(USD_DECIMALS - USD_MICROS_DECIMALS);
export const MAX_USD_MICROS = 10n ** 12n * 10n ** 6n;

export function isUsdMicros(value: bigint): value is UsdMicros {
  return value >= 0n && value <= MAX_USD_MICROS;
}

export function assertUsdMicros(value: bigint): asserts value is UsdMicros {
  if (!isUsdMicros(value)) throw new RangeError('a micro-USD amount lies between 0 and 10^12 dollars');
}

export function usdMicros(value: bigint): UsdMicros {
  assertUsdMicros(value);
  return value;
}

export function usdToMicros(amount: Usd, rounding: Rounding): UsdMicros {
  return usdMicros(divide(amount, USD_PER_MICRO, rounding));
}

export function microsToUsd(micros: UsdMicros): Usd {
  return usd(micros * USD_PER_MICRO);
}

export function printUsdMicros(micros: UsdMicros): string {
  return printDecimal(micros, USD_MICROS_DECIMALS);
}

/**
 * JSON number of a display hint, the only amount that leaves this package as a number. Exact to the micro up to 2^52
 * micros (4.5 thousand million dollars), nearest beyond.
 */
export function usdMicrosToJsonNumber(micros: UsdMicros): number {
  return JSON.parse(printUsdMicros(micros)) as number;
}
