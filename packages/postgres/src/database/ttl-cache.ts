// Caches answers for `ttlMs` and coalesces concurrent calls for one key. For data that rarely changes and may be stale. That there is
// nothing is not remembered: what is made now is found at once.

type Remembered<Value> = { readonly value: Promise<Value>; readonly untilMs: number };

export type TtlCacheOptions = {
  readonly nowMs: () => number;
  readonly ttlMs: number;
  readonly maxEntries: number;
};

export function ttlCache<Argument, Value>(
  { nowMs, ttlMs, maxEntries }: TtlCacheOptions,
  keyOf: (argument: Argument) => string,
  ask: (argument: Argument) => Promise<Value>,
): (argument: Argument) => Promise<Value> {
  const memory = new Map<string, Remembered<Value>>();
  return (argument) => {
    const key = keyOf(argument);
    const known = memory.get(key);
    if (known !== undefined && known.untilMs > nowMs()) return known.value;
    const value = ask(argument);
    const entry = { value, untilMs: nowMs() + ttlMs };
    memory.delete(key);
    memory.set(key, entry);
    const forget = () => void (memory.get(key) === entry && memory.delete(key));
    // Failures are not cached. The oldest entries are evicted.
    value.then((found) => found === undefined && forget(), forget);
    for (const oldest of memory.keys()) {
      if (memory.size <= maxEntries) break;
      memory.delete(oldest);
    }
    return value;
  };
}
