// What an API key may do. A key without scopes may do everything that its kind may; a key with scopes only what they name.
import type { KeyKind } from './api-key.ts';

/**
 * `read`: see intents and events. `create`: create and cancel intents. `charge`: submit signed payments, settle and release
 * up-to payments. `refund`: return a payment. `webhooks`: manage endpoints, send events again.
 */
export const KEY_SCOPES = ['read', 'create', 'charge', 'refund', 'webhooks'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** A publishable key is on the open web: no scope makes it more than it is. */
const OF_KIND: Readonly<Record<KeyKind, readonly KeyScope[]>> = {
  publishable: ['read', 'create', 'charge'],
  secret: KEY_SCOPES,
};

export type ReadScopes =
  | { readonly ok: true; readonly scopes: readonly KeyScope[] }
  | { readonly ok: false; readonly code: 'scope_unknown' | 'scope_not_of_kind' };

/** Reads the scopes that a new key shall have: at least one, each once, in the order of the list. */
export function readScopes(kind: KeyKind, names: readonly string[]): ReadScopes {
  const scopes = KEY_SCOPES.filter((scope) => names.includes(scope));
  if (names.length === 0 || names.some((name) => !(KEY_SCOPES as readonly string[]).includes(name)))
    return { ok: false, code: 'scope_unknown' };
  if (scopes.some((scope) => !OF_KIND[kind].includes(scope))) return { ok: false, code: 'scope_not_of_kind' };
  return { ok: true, scopes };
}

/** `scopes` is undefined for a key without scopes. */
export function allowsScope(scopes: readonly KeyScope[] | undefined, wanted: KeyScope): boolean {
  return scopes === undefined || scopes.includes(wanted);
}
