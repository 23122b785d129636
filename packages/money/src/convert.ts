// Converts dollars to tokens and back at a stored rate, each in one exact division. A required amount rounds up and a
// settled amount rounds down, so at one rate a charge within the dollar budget can't exceed the signed cap.

import type { Rate } from './rate.ts';
import { divide, type Rounding } from './rounding.ts';
import { assertSameToken, oneWhole, type TokenAmount, tokenAmount } from './token-amount.ts';
import { USD_DECIMALS, type Usd } from './usd.ts';
import { isUsdMicros, USD_MICROS_DECIMALS, type UsdMicros } from './usd-micros.ts';

/** Never overflows: the largest dollars at the smallest rate and 36 decimals are 10^66 units, far below 2^256. */
export function usdToToken<Id extends string>(usd: Usd, rate: Rate<Id>, rounding: Rounding): TokenAmount<Id> {
  return tokenAmount(rate.token, divide(usd * oneWhole(rate.token), rate.usdPerToken, rounding));
}

/**
 * Amount that an intent asks for (for up-to, the cap): rounded up, so the merchant never asks for less than the price.
 */
export function requiredFromUsd<Id extends string>(usd: Usd, rate: Rate<Id>): TokenAmount<Id> {
  return usdToToken(usd, rate, 'up');
}

/** Amount that an up-to settle charges: rounded down, so never above `requiredFromUsd` of the same or more dollars. */
export function settledFromUsd<Id extends string>(usd: Usd, rate: Rate<Id>): TokenAmount<Id> {
  return usdToToken(usd, rate, 'down');
}

/** True when amount and dollars differ by at most one smallest unit at the rate. */
export function agreesWithUsd<Id extends string>(amount: TokenAmount<Id>, usd: Usd, rate: Rate<NoInfer<Id>>): boolean {
  assertSameToken(amount.token, rate.token);
  const gap = amount.atomic * rate.usdPerToken - usd * oneWhole(rate.token);
  return gap <= rate.usdPerToken && -gap <= rate.usdPerToken;
}

export type UsdMicrosResult =
  | { readonly ok: true; readonly micros: UsdMicros }
  | { readonly ok: false; readonly code: 'too_large' };

/** Refuses a value above the range of micro-USD: anyone can send a large amount of a worthless token. */
export function tokenToUsdMicros<Id extends string>(
  amount: TokenAmount<Id>,
  rate: Pick<Rate<NoInfer<Id>>, 'token' | 'usdPerToken'>,
  rounding: Rounding,
): UsdMicrosResult {
  assertSameToken(amount.token, rate.token);
  const unitsPerMicro = oneWhole(rate.token) * 10n ** BigInt(USD_DECIMALS - USD_MICROS_DECIMALS);
  const micros = divide(amount.atomic * rate.usdPerToken, unitsPerMicro, rounding);
  return isUsdMicros(micros) ? { ok: true, micros } : { ok: false, code: 'too_large' };
}
