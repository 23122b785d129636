// What an amount of a token is worth, at the rate that was stored with it and never at the current price.
import {
  type AtomicAmount,
  microsToUsd,
  type Token,
  tokenAmount,
  tokenToUsdMicros,
  USD_DECIMALS,
  type Usd,
  usd,
} from '@svc-pay/money';
import { findToken } from './find-token.ts';

const ONE_DOLLAR = usd(10n ** BigInt(USD_DECIMALS));

/** Null where no rate was stored, unless the token's price is fixed. */
export function rateOr(stored: Usd | null, shortcode: string): Usd | null {
  return stored ?? (findToken(shortcode)?.price === 'fixed' ? ONE_DOLLAR : null);
}

/** Rounded down to a millionth. Null above the range of dollars: anyone can name a large amount of a worthless token. */
export function dollarValue(token: Token, amount: AtomicAmount, usdPerToken: Usd): Usd | null {
  const worth = tokenToUsdMicros(tokenAmount(token, amount), { token, usdPerToken }, 'down');
  return worth.ok ? microsToUsd(worth.micros) : null;
}
