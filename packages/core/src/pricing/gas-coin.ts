import { parseRate, type Rate, token } from '@svc-pay/money';

/** Configured price of the coin that pays for gas; undefined for a text that is no price. */
export function gasCoinRate(symbol: string, decimals: number, usdPerToken: string, nowMs: number): Rate | undefined {
  const read = parseRate({
    token: token(symbol, decimals),
    usdPerToken,
    source: 'configuration',
    observedAtMs: nowMs,
  });
  return read.ok ? read.rate : undefined;
}
