import { type Clock, createHttpFeed, createPricing, type PriceSource } from '@svc-pay/core';
import type { Logger } from '@svc-pay/runtime/logging';
import { logEvent } from '@svc-pay/runtime/logging/log-events';
import type { ApiConfig } from './config.ts';

const FEED_TIMEOUT_MS = 2_000;

/** Prices stablecoins at one dollar and other tokens by the configured feed; without a feed they have no price. */
export function createRateOf(
  config: Pick<ApiConfig, 'priceFeedUrl' | 'priceRefreshMs' | 'priceMaxAgeMs'>,
  clock: Clock,
  logger: Logger,
): PriceSource {
  const { priceFeedUrl: url, priceRefreshMs: refreshMs, priceMaxAgeMs: maxAgeMs } = config;
  const feed: PriceSource =
    url === undefined
      ? async () => undefined
      : createHttpFeed({
          clock,
          url,
          refreshMs,
          getJson,
          onProblem: (name, problem) => logEvent(logger, 'price_not_refreshed', { feed: name, err: problem }),
        });
  return createPricing({ clock, maxAgeMs, feed });
}

async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(FEED_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`price feed ${new URL(url).pathname} answered ${response.status}`);
  return response.json();
}
