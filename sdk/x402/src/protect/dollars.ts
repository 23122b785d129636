// Prices as a seller writes them: `'$0.01'`.
import { divide, oneWhole, parseUsd, printUsd, token, USD_DECIMALS, type Usd } from '@svc-pay/money';

/** Decimal text with or without a dollar sign in front. Throws a TypeError that names the setting. */
export function readDollars(text: string, setting: string): Usd {
  const read = typeof text === 'string' ? parseUsd(text.replace(/^\$/, '')) : undefined;
  if (read === undefined || !read.ok) throw new TypeError(`${setting} is an amount of dollars such as '$0.01'`);
  return read.usd;
}

/** More than zero. */
export function readPositiveDollars(text: string, setting: string): Usd {
  const read = readDollars(text, setting);
  if (read === 0n) throw new TypeError(`${setting} is more than $0`);
  return read;
}

/** Decimal text without a dollar sign. */
export const dollarText = (amountUsd: Usd): string => printUsd(amountUsd);

/** Smallest units of a token that is worth a dollar, rounded up: never less than the price. */
export function atomicFromDollars(amountUsd: Usd, decimals: number): string {
  const unit = token('dollar', decimals);
  return divide(amountUsd * oneWhole(unit), 10n ** BigInt(USD_DECIMALS), 'up').toString();
}
