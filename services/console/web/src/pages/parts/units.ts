// Decimals and symbols of the tokens that a payment's page names, by shortcode or by address.
import type { AcceptedToken, Payment } from '@svc-pay/protocol';
import { symbolOf } from '../../format/chains.ts';
import { showAtomic } from '../../format/money.ts';

export type ShowAmount = (atomic: string, token: string) => string;

export function unitsOf(tokens: readonly AcceptedToken[], payments: readonly Payment[]): ShowAmount {
  const known = new Map<string, { readonly decimals: number; readonly symbol: string }>();
  const learn = (names: readonly (string | null | undefined)[], decimals: number, shortcode: string) => {
    for (const name of names) if (name) known.set(name.toLowerCase(), { decimals, symbol: symbolOf(shortcode) });
  };
  for (const { tokenShortcode, token, ledgerCanisterId, decimals } of tokens)
    learn([tokenShortcode, token, ledgerCanisterId], decimals, tokenShortcode);
  for (const { tokenShortcode, token, ledgerCanisterId, decimals } of payments)
    if (decimals !== null && decimals !== undefined && tokenShortcode)
      learn([tokenShortcode, token, ledgerCanisterId], decimals, tokenShortcode);
  return (atomic, token) => {
    const found = known.get(token.toLowerCase());
    return found === undefined ? showAtomic(atomic, null) : `${showAtomic(atomic, found.decimals)} ${found.symbol}`;
  };
}
