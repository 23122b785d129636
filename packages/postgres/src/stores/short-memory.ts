// Remembers answers for a moment and asks only once at a time. For what changes rarely and may be a moment old.

type Remembered<Value> = { readonly value: Promise<Value>; readonly untilMs: number };

export type ShortMemoryOptions = {
  readonly nowMs: () => number;
  readonly ttlMs: number;
  readonly maxEntries: number;
};

export function shortMemory<Argument, Value>(
  { nowMs, ttlMs, maxEntries }: ShortMemoryOptions,
  keyOf: (argument: Argument) => string,
  ask: (argument: Argument) => Promise<Value>,
): (argument: Argument) => Promise<Value> {
  const memory = new Map<string, Remembered<Value>>();
  return (argument) => {
    const key = keyOf(argument);
    const known = memory.get(key);
    if (known !== undefined && known.untilMs > nowMs()) return known.value;
    const value = ask(argument);
    memory.delete(key);
    memory.set(key, { value, untilMs: nowMs() + ttlMs });
    // A failure is not an answer, and the oldest answers make room.
    value.catch(() => memory.delete(key));
    for (const oldest of memory.keys()) {
      if (memory.size <= maxEntries) break;
      memory.delete(oldest);
    }
    return value;
  };
}
