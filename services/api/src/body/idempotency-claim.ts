import { createHash } from 'node:crypto';
import { type IdempotencyClaim, type KeyKind, storedKeyOf } from '@svc-pay/core';

export type ReadClaim =
  | { readonly ok: true; readonly claim: IdempotencyClaim | null }
  | { readonly ok: false; readonly code: 'idempotency_key_invalid' };

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** Null without the header. Node joins a repeated header with a comma and a space; such a value is refused. */
export function readClaim(
  kind: KeyKind,
  key: string | string[] | undefined,
  method: string,
  path: string,
  body: Uint8Array,
): ReadClaim {
  if (key === undefined) return { ok: true, claim: null };
  if (typeof key !== 'string' || !VISIBLE_ASCII.test(key)) return { ok: false, code: 'idempotency_key_invalid' };
  return { ok: true, claim: { key, storedKey: storedKeyOf(kind, key), requestHash: requestHash(method, path, body) } };
}

/** Hash that an idempotency key is bound to. Unambiguous: method and path contain no space or line break. */
function requestHash(method: string, path: string, body: Uint8Array): Uint8Array {
  return createHash('sha256').update(`${method} ${path}\n`).update(body).digest();
}
