// What an account wants done with another amount than an intent asks for.
import {
  type AtomicAmount,
  type BasisPoints,
  basisPoints,
  microsToUsd,
  type Rate,
  shareOf,
  type UsdMicros,
  usdMicros,
  usdToToken,
} from '@svc-pay/money';
import type { AmountTerms } from './judge-amount.ts';

/** `accept`: it pays the intent. `hold`: it waits for the merchant. `refund`: what was not asked for is due back. */
export const MISMATCH_HANDLINGS = ['accept', 'hold', 'refund'] as const;
export type MismatchHandling = (typeof MISMATCH_HANDLINGS)[number];

export type MismatchPolicy = {
  /** A difference up to the larger of both tolerances counts as none. */
  readonly toleranceUsdMicros: UsdMicros;
  readonly toleranceBps: BasisPoints;
  /** Of more than asked, and of money that an intent no longer asks for. */
  readonly over: MismatchHandling;
  /** Of less than asked. */
  readonly under: MismatchHandling;
};

/** Of an account that has set none. */
export const DEFAULT_MISMATCH_POLICY: MismatchPolicy = {
  toleranceUsdMicros: usdMicros(0n),
  toleranceBps: basisPoints(0),
  over: 'refund',
  under: 'hold',
};

/** The acceptance that the money is for. Rate and minimum are absent where the intent left and none is kept. */
export type PaidOffer = {
  readonly amount: AtomicAmount;
  readonly rate?: Rate | undefined;
  readonly minimumUsdMicros?: UsdMicros | null | undefined;
};

/** The policy in units of the token that the acceptance asks for, at its own rate. */
export function amountTerms(policy: MismatchPolicy, { amount, rate, minimumUsdMicros }: PaidOffer): AmountTerms {
  const absolute = rate === undefined ? 0n : inTokens(policy.toleranceUsdMicros, rate, 'down');
  const share = shareOf(amount, policy.toleranceBps);
  return {
    askedAtomic: amount,
    minimumAtomic:
      rate === undefined || minimumUsdMicros === undefined || minimumUsdMicros === null
        ? 0n
        : inTokens(minimumUsdMicros, rate, 'up'),
    toleranceAtomic: absolute > share ? absolute : share,
    over: policy.over,
    under: policy.under,
  };
}

const inTokens = (micros: UsdMicros, rate: Rate, rounding: 'up' | 'down'): bigint =>
  usdToToken(microsToUsd(micros), rate, rounding).atomic;
