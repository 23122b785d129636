// Limits requests per second and name, within this process. A bucket holds one second's worth, so an idle client may
// send that many in a burst. The state per name is only the virtual time at which its bucket is full again.

export type Taken = {
  readonly allowed: boolean;
  /** Number of requests that may still be sent immediately. */
  readonly remaining: number;
  /** Time until one more request fits; 0 if one fits now. */
  readonly retryAfterMs: number;
};

export type TokenBucket = { readonly take: (name: string, perSecond: number, nowMs: number) => Taken };

/** Beyond `maxNames` the least recently seen names are dropped: they are full again, or somebody floods with names. */
export function createTokenBucket(maxNames: number): TokenBucket {
  const fullAtMs = new Map<string, number>();
  return {
    take(name, perSecond, nowMs) {
      const stepMs = 1_000 / perSecond;
      const full = Math.max(fullAtMs.get(name) ?? 0, nowMs);
      const overdrawnMs = full + stepMs - (nowMs + 1_000);
      // Half a microsecond of tolerance for rounding in sums of fractional milliseconds.
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
