// Price of one whole token in dollars, with source and time. A rate names its token, so an amount can't be converted at
// the price of another token.

import type { Branded } from './brand.ts';
import type { DecimalRefusal } from './decimal.ts';
import type { Token } from './token-amount.ts';
import { parseUsd, type Usd } from './usd.ts';

export type Rate<Id extends string = string> = Branded<
  {
    readonly token: Token<Id>;
    /** More than zero, with at most 18 decimals. */
    readonly usdPerToken: Usd;
    readonly source: string;
    readonly observedAtMs: number;
  },
  'Rate'
>;

export type RateRefusal = DecimalRefusal | 'zero';
export type RateResult<Id extends string = string> =
  | { readonly ok: true; readonly rate: Rate<Id> }
  | { readonly ok: false; readonly code: RateRefusal };

/** Most that a source's clock may be ahead of ours, inclusive. */
export const MAX_RATE_SKEW_MS = 5_000;

/** A bad price comes from outside and is refused as a value; a missing source or time is a bug and throws. */
export function parseRate<Id extends string>(given: {
  readonly token: Token<Id>;
  readonly usdPerToken: string | number;
  readonly source: string;
  readonly observedAtMs: number;
}): RateResult<Id> {
  const { token, source, observedAtMs } = given;
  if (source === '') throw new RangeError('a rate names its source');
  if (!Number.isSafeInteger(observedAtMs) || observedAtMs < 0)
    throw new RangeError('a rate has a time in milliseconds');
  const price = parseUsd(given.usdPerToken);
  if (!price.ok) return price;
  if (price.usd === 0n) return { ok: false, code: 'zero' };
  return { ok: true, rate: Object.freeze({ token, usdPerToken: price.usd, source, observedAtMs }) as Rate<Id> };
}

/** True when the rate is older than `maxAgeMs`, or dated further ahead than `MAX_RATE_SKEW_MS`. */
export function isStale(rate: Rate, nowMs: number, maxAgeMs: number): boolean {
  const ageMs = nowMs - rate.observedAtMs;
  // Tests for fresh and negates: a time that is not a number must count as stale.
  return !(ageMs <= maxAgeMs && ageMs >= -MAX_RATE_SKEW_MS);
}
