import type { KeyKind } from '../account/api-key.ts';

/** A submitted key has no space (visible ASCII only), so names of publishable and secret keys never collide. */
const PUBLISHABLE_PREFIX = 'pk ';

/**
 * Name under which a key is stored: publishable and secret API keys have separate names. A publishable key is public,
 * and somebody who copies it must not be able to occupy the order numbers that a merchant's server uses as idempotency
 * keys.
 *
 * Secret keys keep the plain name, so that a server's retry finds its first answer while old and new processes run
 * together.
 */
export function storedKeyOf(kind: KeyKind, key: string): string {
  return kind === 'publishable' ? `${PUBLISHABLE_PREFIX}${key}` : key;
}
