// Prices every selected token at its own rate. A token without a fresh price is left out if another token has one.
import type { PriceSource } from '../pricing/price-source.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import { priceToken } from './offer.ts';
import type { PricedToken } from './offer-family.ts';
import type { AskedAmount } from './read-amount.ts';
import type { IntentRefusal } from './read-terms.ts';

export type PricedTokens = { readonly ok: true; readonly tokens: readonly PricedToken[] } | IntentRefusal;

export async function priceTokens(
  tokens: readonly TokenEntry[],
  asked: AskedAmount,
  rateOf: PriceSource,
): Promise<PricedTokens> {
  // An amount in smallest units is ambiguous over tokens with different units.
  if (asked.atomic !== null && tokens.some((token) => !countsAlike(token, tokens[0]))) {
    return { ok: false, code: 'amount_needs_token', param: 'amount' };
  }
  const rates = await Promise.all(tokens.map(async (token) => ({ token, rate: await rateOf(token) })));
  const priced: PricedToken[] = [];
  for (const { token, rate } of rates) {
    if (rate === undefined) continue;
    const result = priceToken(token, rate, asked);
    if (!result.ok) return { ok: false, code: result.code, param: 'amount' };
    priced.push(result.priced);
  }
  return priced.length === 0 ? { ok: false, code: 'price_unavailable', param: null } : { ok: true, tokens: priced };
}

function countsAlike(one: TokenEntry, other: TokenEntry | undefined): boolean {
  return one.symbol === other?.symbol && one.unit.decimals === other.unit.decimals;
}
