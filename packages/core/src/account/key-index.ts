import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { ApiKeyText } from './api-key.ts';

// Preparing the pepper costs six times the HMAC itself, and every request needs it. Hence the cache.
const prepared = new WeakMap<Uint8Array, KeyObject>();

/** Lookup index of a key: its HMAC under the server's pepper, so that a stolen table alone can't be searched. */
export function keyIndex(pepper: Uint8Array, key: ApiKeyText): Uint8Array {
  const known = prepared.get(pepper) ?? createSecretKey(pepper);
  prepared.set(pepper, known);
  return createHmac('sha256', known).update(key).digest();
}
