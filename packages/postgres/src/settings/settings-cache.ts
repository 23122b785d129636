// Remembers answers about accounts until their account changes. Concurrent calls for one key share one question. That there is
// nothing is not remembered: what is made now is found at once, and strangers can't fill the memory.
import type { SettingChanges } from './follow-changes.ts';

export type SettingsCacheOptions = {
  readonly changes: SettingChanges;
  readonly nowMs: () => number;
  /** Longest life of an answer, whether or not its account changes. */
  readonly lifeMs: number;
  readonly maxEntries: number;
};

type CachedRead<Argument, Value> = {
  readonly keyOf: (argument: Argument) => string;
  readonly accountOf: (argument: Argument, value: NonNullable<Value>) => string;
  readonly ask: (argument: Argument) => Promise<Value>;
};

type Entry<Value> = {
  readonly value: Promise<Value>;
  readonly untilMs: number;
  /** Of the changes that were known before the question was sent: the answer has all of them. */
  readonly moment: number;
  /** Undefined until the answer is there. */
  account: string | undefined;
};

export function settingsCache<Argument, Value>(
  { changes, nowMs, lifeMs, maxEntries }: SettingsCacheOptions,
  { keyOf, accountOf, ask }: CachedRead<Argument, Value>,
): (argument: Argument) => Promise<Value> {
  const memory = new Map<string, Entry<Value>>();

  function recall(argument: Argument): Promise<Value> {
    const key = keyOf(argument);
    const known = memory.get(key);
    if (known !== undefined && known.untilMs > nowMs() && changes.holds(known.account, known.moment))
      return known.value;
    const moment = changes.moment();
    const entry: Entry<Value> = { value: ask(argument), untilMs: nowMs() + lifeMs, moment, account: undefined };
    memory.delete(key);
    memory.set(key, entry);
    const forget = () => void (memory.get(key) === entry && memory.delete(key));
    const note = (value: Value): void => {
      if (value === undefined || value === null) forget();
      else entry.account = accountOf(argument, value);
    };
    entry.value.then(note, forget);
    for (const oldest of memory.keys()) {
      if (memory.size <= maxEntries) break;
      memory.delete(oldest);
    }
    return entry.value;
  }

  return (argument) => {
    const known = changes.areKnown();
    if (typeof known === 'boolean') return known ? recall(argument) : ask(argument);
    return known.then((areKnown) => (areKnown ? recall(argument) : ask(argument)));
  };
}
