// Judges requests by the quotas of the installation. Bucket names are ids and addresses, never the text of a key.
import {
  type AddressNames,
  addressBuckets,
  type Caller,
  callerBuckets,
  lookupBuckets,
  type Mode,
  type QuotaBucket,
  type QuotaClass,
  type QuotaLimits,
  type QuotaScope,
  type RequestClass,
  reservedBuckets,
  reservedByteBuckets,
  storedByteBuckets,
} from '@svc-pay/core';
import type { QuotaRounds } from './quota-rounds.ts';

/** Of several quotas that a request counts against: the one that refuses it, or else the one with least left. */
export type Verdict = {
  readonly allowed: boolean;
  readonly policy: QuotaScope;
  readonly class: QuotaClass;
  readonly quota: QuotaBucket['quota'];
  /** Left of the quota in the whole installation. */
  readonly remaining: number;
  readonly retryAfterMs: number;
};

export type RateLimiter = {
  readonly byAddress: (of: RequestClass, names: AddressNames, mode: Mode) => Promise<Verdict>;
  /** Limits lookups of keys not yet seen valid, per address and separately from the address's other requests. */
  readonly byUnseenKey: (names: AddressNames) => Promise<Verdict>;
  readonly byCaller: (of: RequestClass, caller: Caller, names: AddressNames) => Promise<Verdict>;
  readonly byStoredBytes: (caller: Caller, names: AddressNames, bytes: number) => Promise<Verdict>;
};

export function createRateLimiter(limits: QuotaLimits, rounds: Pick<QuotaRounds, 'take'>): RateLimiter {
  async function judge(buckets: readonly QuotaBucket[], cost: number): Promise<Verdict> {
    let tightest: Verdict | undefined;
    for (const bucket of buckets) {
      const taking = rounds.take(bucket, cost);
      const { outcome, remaining, retryAfterMs } = taking instanceof Promise ? await taking : taking;
      const { scope: policy, class: of, quota } = bucket;
      const verdict = { allowed: outcome === 'taken', policy, class: of, quota, remaining, retryAfterMs };
      if (!verdict.allowed) return verdict;
      tightest = tightest === undefined || remaining < tightest.remaining ? verdict : tightest;
    }
    if (tightest === undefined) throw new Error('a request counts against no quota');
    return tightest;
  }

  /** What others may have used up refuses nobody who has room in the reserve. */
  async function judgeShared(
    buckets: readonly QuotaBucket[],
    reserve: readonly QuotaBucket[],
    cost: number,
  ): Promise<Verdict> {
    const verdict = await judge(buckets, cost);
    const isShared = verdict.policy === 'key' || verdict.policy === 'account';
    if (verdict.allowed || !isShared || reserve.length === 0) return verdict;
    const spared = await judge(reserve, cost);
    return spared.allowed ? spared : verdict;
  }

  return {
    byAddress: (of, names, mode) => judge(addressBuckets(limits, of, names, mode), 1),
    byUnseenKey: (names) => judge(lookupBuckets(limits, names), 1),
    byCaller: (of, caller, names) =>
      judgeShared(callerBuckets(limits, of, caller), reservedBuckets(limits, of, caller, names), 1),
    byStoredBytes: (caller, names, bytes) =>
      judgeShared(storedByteBuckets(limits, caller, names), reservedByteBuckets(limits, caller, names), bytes),
  };
}

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));

/** The two header fields of the IETF draft on rate limits, plus `Retry-After` in whole seconds when refused. */
export function rateLimitHeaders(verdict: Verdict): Readonly<Record<string, string>> {
  const { policy, quota, remaining, allowed, retryAfterMs } = verdict;
  const window = seconds(quota.windowMs);
  return {
    'ratelimit-policy': `"${policy}";q=${quota.size};w=${window}`,
    ratelimit: `"${policy}";r=${remaining};t=${window}`,
    ...(!allowed && { 'retry-after': String(seconds(retryAfterMs)) }),
  };
}
