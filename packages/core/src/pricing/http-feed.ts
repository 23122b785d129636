// Price feed over HTTP: GET <url>/<feed> answers { "usd": "1.0832", "observedAt": "2026-11-15T12:00:00Z" }.
// Each feed is read at most once per interval; after a failure the last rate is kept until it is stale.
import { parseRate, type Rate } from '@svc-pay/money';
import type { Clock } from '../clock.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import type { PriceSource } from './price-source.ts';

type Quote = { readonly usd: string | number; readonly observedAtMs: number };

export type HttpFeedOptions = {
  readonly clock: Clock;
  readonly url: string;
  readonly refreshMs: number;
  /** One GET with its own timeout; throws when there is no answer. */
  readonly getJson: (url: string) => Promise<unknown>;
  /** Called for every failure; the feed continues. */
  readonly onProblem: (feed: string, problem: unknown) => void;
};

type Known = { quote: Quote | undefined; askedAtMs: number; asking: Promise<void> | undefined };

export function createHttpFeed(options: HttpFeedOptions): PriceSource {
  const feeds = new Map<string, Known>();
  return async (token) => {
    if (token.price === 'fixed') return undefined;
    const { feed } = token.price;
    const known = feeds.get(feed) ?? { quote: undefined, askedAtMs: Number.NEGATIVE_INFINITY, asking: undefined };
    feeds.set(feed, known);
    if (options.clock.nowMs() - known.askedAtMs >= options.refreshMs) {
      known.asking ??= refresh(options, feed, known).finally(() => {
        known.asking = undefined;
      });
      await known.asking;
    }
    return known.quote === undefined ? undefined : rateOf(token, known.quote, options.url);
  };
}

async function refresh(options: HttpFeedOptions, feed: string, known: Known): Promise<void> {
  try {
    const quote = quoteFrom(await options.getJson(`${options.url}/${encodeURIComponent(feed)}`));
    if (quote === undefined) throw new Error(`the answer of price feed ${feed} is not a quote`);
    known.quote = quote;
  } catch (problem) {
    options.onProblem(feed, problem);
  } finally {
    known.askedAtMs = options.clock.nowMs();
  }
}

function quoteFrom(answer: unknown): Quote | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { usd, observedAt } = answer as { usd?: unknown; observedAt?: unknown };
  const observedAtMs = typeof observedAt === 'string' ? Date.parse(observedAt) : Number.NaN;
  if ((typeof usd !== 'string' && typeof usd !== 'number') || !(observedAtMs >= 0)) return undefined;
  return { usd, observedAtMs };
}

function rateOf(token: TokenEntry, quote: Quote, source: string): Rate | undefined {
  const { usd: usdPerToken, observedAtMs } = quote;
  const parsed = parseRate({ token: token.unit, usdPerToken, source, observedAtMs });
  return parsed.ok ? parsed.rate : undefined;
}
