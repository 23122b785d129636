// Looks up API keys. Lookups of keys not recently found valid are limited by address: anybody can make up a key with a
// correct checksum, and each one costs a query. Concurrent lookups of the same key are coalesced. Keys that were found are
// remembered, so that a request that is refused before its lookup can be named in logs and counts.
import type { AddressNames, AuthenticatePorts, KeyIndexes, StoredKey } from '@svc-pay/core';
import type { RateLimiter, Verdict } from '../limit/rate-limit.ts';

type KeyLookup =
  | { readonly ok: true; readonly stored: StoredKey | undefined }
  | { readonly ok: false; readonly verdict: Verdict };

export type KeyLookups = {
  readonly find: (indexes: KeyIndexes, names: AddressNames) => Promise<KeyLookup>;
  /** Reports whether the key that was looked up is valid; undefined for one that does not exist. */
  readonly judged: (indexes: KeyIndexes, stored: StoredKey | undefined, valid: boolean) => void;
  /** The key as it was last found, valid or not. Asks nobody: only for naming a request. */
  readonly recall: (indexes: KeyIndexes) => StoredKey | undefined;
};

/** Time during which a valid key is not counted by address. The key itself is still looked up every time. */
const SEEN_FOR_MS = 3_600_000;
/** Size limit; only keys that exist are kept, so strangers cannot fill it. */
const MAX_FOUND = 100_000;

type FoundKey = { readonly stored: StoredKey; readonly validAtMs: number };

export function createKeyLookups(
  { findKey, clock }: Pick<AuthenticatePorts, 'findKey' | 'clock'>,
  limiter: RateLimiter | undefined,
): KeyLookups {
  const foundKeys = new Map<string, FoundKey>();
  const underWay = new Map<string, Promise<KeyLookup>>();
  const nameOf = ([index]: KeyIndexes) => Buffer.from(index).toString('latin1');
  const isSeen = (name: string) =>
    (foundKeys.get(name)?.validAtMs ?? Number.NEGATIVE_INFINITY) + SEEN_FOR_MS > clock.nowMs();

  async function look(indexes: KeyIndexes, name: string, names: AddressNames): Promise<KeyLookup> {
    const verdict = isSeen(name) ? undefined : await limiter?.byUnseenKey(names);
    if (verdict?.allowed === false) return { ok: false, verdict };
    return { ok: true, stored: await findKey(indexes) };
  }

  return {
    async find(indexes, names) {
      const name = nameOf(indexes);
      const running = underWay.get(name);
      if (running !== undefined) {
        const shared = await running;
        // A lookup that was refused for another caller's address says nothing about this one's.
        return shared.ok ? shared : look(indexes, name, names);
      }
      const lookup = look(indexes, name, names).finally(() => underWay.delete(name));
      underWay.set(name, lookup);
      return lookup;
    },
    judged(indexes, stored, valid) {
      const name = nameOf(indexes);
      foundKeys.delete(name);
      if (stored === undefined) return;
      foundKeys.set(name, { stored, validAtMs: valid ? clock.nowMs() : Number.NEGATIVE_INFINITY });
      if (foundKeys.size > MAX_FOUND) foundKeys.delete(foundKeys.keys().next().value ?? '');
    },
    recall: (indexes) => foundKeys.get(nameOf(indexes))?.stored,
  };
}
