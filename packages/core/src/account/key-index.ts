import { createHmac } from 'node:crypto';
import type { ApiKeyText } from './api-key.ts';

/** Where a key is found: its HMAC under the server's pepper, so that a stolen table alone can't be searched. */
export function keyIndex(pepper: Uint8Array, key: ApiKeyText): Uint8Array {
  return createHmac('sha256', pepper).update(key).digest();
}
