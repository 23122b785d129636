// Caches one answer for `ttlMs` and lets concurrent calls share one question. For data that may be stale. A failure is not cached.

export type TtlCacheOptions = { readonly nowMs: () => number; readonly ttlMs: number };

export function ttlCache<Value>({ nowMs, ttlMs }: TtlCacheOptions, ask: () => Promise<Value>): () => Promise<Value> {
  let known: { readonly value: Promise<Value>; readonly untilMs: number } | undefined;
  return () => {
    if (known !== undefined && known.untilMs > nowMs()) return known.value;
    const entry = { value: ask(), untilMs: nowMs() + ttlMs };
    known = entry;
    entry.value.catch(() => {
      if (known === entry) known = undefined;
    });
    return entry.value;
  };
}
