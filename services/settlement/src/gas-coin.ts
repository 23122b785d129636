import { parseRate, type Rate, token } from '@svc-pay/money';

/** What the coin that pays for transactions is worth, as configured; undefined for text that is no price. */
export function gasCoinRate(symbol: string, decimals: number, usdPerToken: string, nowMs: number): Rate | undefined {
  const read = parseRate({
    token: token(symbol, decimals),
    usdPerToken,
    source: 'configuration',
    observedAtMs: nowMs,
  });
  return read.ok ? read.rate : undefined;
}
