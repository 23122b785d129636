// Limits of what is verified and not settled. They are read from the database in the statement that takes the signature.
import { type Rate, USD_DECIMALS, type Usd, usd, usdToToken } from '@svc-pay/money';

/**
 * What one payer may have pending in the token of the rate, in its smallest unit. The same balance backs every signature
 * of a payer, so without a limit a wallet with the price of one payment has any number verified. A payment beyond the
 * limit waits for the ones before it; alone it may be of any amount.
 */
export function unsettledLimitOf(perPayer: Usd, rate: Rate): bigint {
  return usdToToken(perPayer, rate, 'down').atomic;
}

/** Whole dollars of a setting. */
export function wholeUsd(dollars: number): Usd {
  return usd(BigInt(dollars) * 10n ** BigInt(USD_DECIMALS));
}

export type OpenCapLimits = { readonly perPayer: number; readonly perAccount: number };

/** What an account may have open, in times its limit, if the payer of the next one has none open. */
const FIRST_CAPS = 2;

/**
 * Up-to authorizations that a chain may still execute. Each costs the nodes a question in every round, for up to seven
 * days. Both numbers are counted no further than the limits.
 */
export type OpenCaps = { readonly ofPayer: number; readonly ofAccount: number };

/**
 * A few wallets with many caps each can use up the limit of an account. That refuses nobody who has none open: who wants to
 * refuse these too needs a wallet with money for every cap.
 */
export function hasRoomForCap({ ofPayer, ofAccount }: OpenCaps, limits: OpenCapLimits): boolean {
  return ofPayer < limits.perPayer && ofAccount < (ofPayer === 0 ? mostOpenCaps(limits) : limits.perAccount);
}

/** The most that an account has open. */
export function mostOpenCaps({ perAccount }: OpenCapLimits): number {
  return perAccount * FIRST_CAPS;
}
