import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

// Preparing the pepper costs six times the HMAC itself, and every request needs it. Hence the cache.
const prepared = new WeakMap<Uint8Array, KeyObject>();

/**
 * Lookup index of an API key or of an operator's key, which differ by their prefix: the HMAC under the server's pepper, so
 * that a stolen table alone can't be searched.
 */
export function keyIndex(pepper: Uint8Array, key: string): Uint8Array {
  const known = prepared.get(pepper) ?? createSecretKey(pepper);
  prepared.set(pepper, known);
  return createHmac('sha256', known).update(key).digest();
}
