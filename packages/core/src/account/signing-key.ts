// Exactly one secret key of an account and mode signs webhooks. A rolled key signs until the merchant switches or its
// overlap ends. The key is chosen at every signature, so the switch needs no job at that moment.
import { keyStateAt } from './key-change.ts';

export type SigningCandidate = {
  /** Ids sort by time. */
  readonly id: string;
  readonly signing: boolean;
  readonly expiresAtMs: number | null;
  readonly revoked: boolean;
};

/** The key that signs at `nowMs`: the marked one while it is usable, after it the newest usable one. */
export function signingKeyAt<Key extends SigningCandidate>(secretKeys: readonly Key[], nowMs: number): Key | undefined {
  const usable = secretKeys
    .filter((key) => keyStateAt(key, nowMs) === 'usable')
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return usable.find(({ signing }) => signing) ?? usable.at(-1);
}
