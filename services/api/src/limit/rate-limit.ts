// Rate limits per key and per address. Bucket names are ids and addresses, never the text of a key.
import type { Caller, Mode } from '@svc-pay/core';
import { createTokenBucket, type Taken } from './token-bucket.ts';

export type RateLimits = {
  readonly perSecondByMode: Readonly<Record<Mode, number>>;
  readonly perSecondByAddress: number;
};

export type Verdict = Taken & { readonly policy: 'key' | 'address'; readonly perSecond: number };

export type RateLimiter = {
  readonly byKey: (caller: Caller, nowMs: number) => Verdict;
  readonly byAddress: (address: string, nowMs: number) => Verdict;
  /** Limits lookups of keys not yet seen valid, per address and separately from the address's other requests. */
  readonly byUnseenKey: (address: string, nowMs: number) => Verdict;
};

const MAX_NAMES = 100_000;

export function createRateLimiter(limits: RateLimits): RateLimiter {
  const bucket = createTokenBucket(MAX_NAMES);
  const judge = (policy: Verdict['policy'], name: string, perSecond: number, nowMs: number): Verdict => ({
    policy,
    perSecond,
    ...bucket.take(`${policy}:${name}`, perSecond, nowMs),
  });
  return {
    byKey: ({ keyId, mode }, nowMs) => judge('key', keyId, limits.perSecondByMode[mode], nowMs),
    byAddress: (address, nowMs) => judge('address', address, limits.perSecondByAddress, nowMs),
    byUnseenKey: (address, nowMs) => judge('address', `${address} unseen key`, limits.perSecondByAddress, nowMs),
  };
}

/** The two header fields of the IETF draft on rate limits, plus `Retry-After` in whole seconds when refused. */
export function rateLimitHeaders(verdict: Verdict): Readonly<Record<string, string>> {
  const { policy, perSecond, remaining, allowed, retryAfterMs } = verdict;
  return {
    'ratelimit-policy': `"${policy}";q=${perSecond};w=1`,
    ratelimit: `"${policy}";r=${remaining};t=1`,
    ...(!allowed && { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) }),
  };
}
