export {
  type AtomicAmount,
  type AtomicRefusal,
  type AtomicResult,
  addAtomic,
  assertAtomicAmount,
  atomicAmount,
  isAtomicAmount,
  MAX_ATOMIC,
  parseAtomic,
  printAtomic,
  subtractAtomic,
} from './atomic-amount.ts';
export { assertBasisPoints, type BasisPoints, basisPoints, isBasisPoints, shareOf, WHOLE_BPS } from './basis-points.ts';
export { type Breakdown, type BreakdownResult, breakDown } from './breakdown.ts';
export {
  agreesWithUsd,
  requiredFromUsd,
  settledFromUsd,
  tokenToUsdMicros,
  type UsdMicrosResult,
  usdToToken,
} from './convert.ts';
export { type DecimalRefusal, printSigned, readSigned } from './decimal.ts';
export { externalCost, gasCost } from './external-cost.ts';
export {
  MAX_FEE_BPS,
  MAX_SPLITS,
  type PayoutTerms,
  type PayoutTermsResult,
  payoutTerms,
  type Split,
} from './payout-terms.ts';
export { isStale, MAX_RATE_SKEW_MS, parseRate, type Rate, type RateRefusal, type RateResult } from './rate.ts';
export { divide, type Rounding } from './rounding.ts';
export {
  addTokens,
  assertSameToken,
  compareTokens,
  MAX_TOKEN_DECIMALS,
  oneWhole,
  parseTokenAmount,
  printTokenAmount,
  subtractTokens,
  type Token,
  type TokenAmount,
  type TokenAmountResult,
  token,
  tokenAmount,
} from './token-amount.ts';
export { assertUsd, isUsd, MAX_USD, parseUsd, printUsd, USD_DECIMALS, type Usd, type UsdResult, usd } from './usd.ts';
export {
  assertUsdMicros,
  isUsdMicros,
  MAX_USD_MICROS,
  microsToUsd,
  printUsdMicros,
  USD_MICROS_DECIMALS,
  type UsdMicros,
  usdMicros,
  usdMicrosToJsonNumber,
  usdToMicros,
} from './usd-micros.ts';
