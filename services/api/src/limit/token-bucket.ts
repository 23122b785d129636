// Counts requests per second and name, in this process. A name's bucket holds one second's worth, so a quiet client may
// send that much at once. The virtual time at which the bucket is full again is all that is kept of it.

export type Taken = {
  readonly allowed: boolean;
  /** Requests that may still be sent at once. */
  readonly remaining: number;
  /** Until one more fits; 0 when one fits now. */
  readonly retryAfterMs: number;
};

export type TokenBucket = { readonly take: (name: string, perSecond: number, nowMs: number) => Taken };

/** Past `maxNames` the names longest unseen are forgotten: they are full again anyway, or somebody floods with names. */
export function createTokenBucket(maxNames: number): TokenBucket {
  const fullAtMs = new Map<string, number>();
  return {
    take(name, perSecond, nowMs) {
      const stepMs = 1_000 / perSecond;
      const full = Math.max(fullAtMs.get(name) ?? 0, nowMs);
      const overdrawnMs = full + stepMs - (nowMs + 1_000);
      // Half a microsecond of slack: sums of fractions of a millisecond are not exact.
      const allowed = overdrawnMs <= 0.0005;
      const next = allowed ? full + stepMs : full;
      fullAtMs.delete(name);
      fullAtMs.set(name, next);
      if (fullAtMs.size > maxNames) fullAtMs.delete(fullAtMs.keys().next().value ?? '');
      const remaining = Math.max(0, Math.floor((nowMs + 1_000 - next) / stepMs + 0.0005));
      return { allowed, remaining, retryAfterMs: allowed ? 0 : overdrawnMs };
    },
  };
}
