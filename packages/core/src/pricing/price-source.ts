// Prices of tokens with the time of their observation. A stale price counts as none.
import { isStale, parseRate, type Rate } from '@svc-pay/money';
import type { Clock } from '../clock.ts';
import type { TokenEntry } from '../token/token-entry.ts';

/** The newest rate of the source, however old; undefined when it has none. */
export type PriceSource = (token: TokenEntry) => Promise<Rate | undefined>;

export type PricingOptions = {
  readonly clock: Clock;
  readonly maxAgeMs: number;
  /** Asked for every token whose price is not fixed. */
  readonly feed: PriceSource;
};

/** Stablecoins cost one dollar by definition; other tokens are priced by the feed, and a stale rate is refused. */
export function createPricing({ clock, maxAgeMs, feed }: PricingOptions): PriceSource {
  return async (token) => {
    const nowMs = clock.nowMs();
    if (token.price === 'fixed') return fixedRate(token, nowMs);
    const rate = await feed(token);
    return rate === undefined || isStale(rate, nowMs, maxAgeMs) ? undefined : rate;
  };
}

function fixedRate(token: TokenEntry, nowMs: number): Rate {
  const parsed = parseRate({ token: token.unit, usdPerToken: '1', source: 'fixed', observedAtMs: nowMs });
  if (!parsed.ok) throw new Error('one dollar is a price');
  return parsed.rate;
}
