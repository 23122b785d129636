// Converts the network's charge to the relayer into the token of the payment.

import type { Rate } from './rate.ts';
import { divide } from './rounding.ts';
import { assertSameToken, oneWhole, type Token, type TokenAmount, tokenAmount } from './token-amount.ts';

/** Gas times price per gas, in the chain's native token. */
export function gasCost<Id extends string>(
  gasUsed: bigint,
  gasPriceAtomic: bigint,
  native: Token<Id>,
): TokenAmount<Id> {
  if (gasUsed < 0n || gasPriceAtomic < 0n) throw new RangeError('gas and its price are not negative');
  return tokenAmount(native, gasUsed * gasPriceAtomic);
}

/** Converts a native cost at both stored rates, in one division, rounded up: no cost is shown as free. */
export function externalCost<Native extends string, Id extends string>(
  cost: TokenAmount<Native>,
  nativeRate: Rate<NoInfer<Native>>,
  rate: Rate<Id>,
): TokenAmount<Id> {
  assertSameToken(cost.token, nativeRate.token);
  const worth = cost.atomic * nativeRate.usdPerToken * oneWhole(rate.token);
  return tokenAmount(rate.token, divide(worth, rate.usdPerToken * oneWhole(nativeRate.token), 'up'));
}
