import { type Clock, createHttpFeed, createPricing, type PriceSource } from '@svc-pay/core';
import type { Logger } from '@svc-pay/observe';
import type { ApiConfig } from './config.ts';

const FEED_TIMEOUT_MS = 2_000;

/** One dollar for stablecoins; everything else from the configured feed, or no price at all. */
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
          onProblem: (name, problem) => logger.warn({ err: problem, feed: name }, 'no fresh price'),
        });
  return createPricing({ clock, maxAgeMs, feed });
}

async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(FEED_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`the feed answered ${response.status}`);
  return response.json();
}
