// Looks up API keys. Lookups of keys not recently found valid are limited by address: anybody can make up a key with a
// correct checksum, and each one costs a query. Concurrent lookups of the same key are coalesced.
import type { AuthenticatePorts, StoredKey } from '@svc-pay/core';
import type { RateLimiter, Verdict } from '../limit/rate-limit.ts';

type KeyLookup =
  | { readonly ok: true; readonly stored: StoredKey | undefined }
  | { readonly ok: false; readonly verdict: Verdict };

export type KeyLookups = {
  readonly find: (index: Uint8Array, address: string) => Promise<KeyLookup>;
  /** Reports whether the key that was found is valid. */
  readonly judged: (index: Uint8Array, valid: boolean) => void;
};

/** Time during which a valid key is not counted by address. The key itself is still looked up every time. */
const SEEN_FOR_MS = 3_600_000;
/** Size limit; only valid keys are kept, so strangers cannot fill it. */
const MAX_SEEN = 100_000;

export function createKeyLookups(
  { findKey, clock }: Pick<AuthenticatePorts, 'findKey' | 'clock'>,
  limiter: RateLimiter | undefined,
): KeyLookups {
  const seenAtMs = new Map<string, number>();
  const underWay = new Map<string, Promise<StoredKey | undefined>>();
  const nameOf = (index: Uint8Array) => Buffer.from(index).toString('latin1');
  const isSeen = (name: string) => (seenAtMs.get(name) ?? Number.NEGATIVE_INFINITY) + SEEN_FOR_MS > clock.nowMs();

  return {
    async find(index, address) {
      const name = nameOf(index);
      const running = underWay.get(name);
      if (running !== undefined) return { ok: true, stored: await running };
      const verdict = isSeen(name) ? undefined : limiter?.byUnseenKey(address, clock.nowMs());
      if (verdict?.allowed === false) return { ok: false, verdict };
      const lookup = findKey(index).finally(() => underWay.delete(name));
      underWay.set(name, lookup);
      return { ok: true, stored: await lookup };
    },
    judged(index, valid) {
      const name = nameOf(index);
      seenAtMs.delete(name);
      if (!valid) return;
      seenAtMs.set(name, clock.nowMs());
      if (seenAtMs.size > MAX_SEEN) seenAtMs.delete(seenAtMs.keys().next().value ?? '');
    },
  };
}
