import type { IdempotencyClaim } from '@svc-pay/core';
import { requestHash } from './request-hash.ts';

export type ReadClaim =
  | { readonly ok: true; readonly claim: IdempotencyClaim | null }
  | { readonly ok: false; readonly code: 'idempotency_key_invalid' };

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** Null without the header. Two such headers reach us joined by a comma and a blank, and are refused. */
export function readClaim(
  key: string | string[] | undefined,
  method: string,
  path: string,
  body: Uint8Array,
): ReadClaim {
  if (key === undefined) return { ok: true, claim: null };
  if (typeof key !== 'string' || !VISIBLE_ASCII.test(key)) return { ok: false, code: 'idempotency_key_invalid' };
  return { ok: true, claim: { key, requestHash: requestHash(method, path, body) } };
}
