import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

export type HmacKey = KeyObject;

/** Preparing a key costs more than a short HMAC, so it is done once. */
export function prepareKey(secret: string | Uint8Array): HmacKey {
  return typeof secret === 'string' ? createSecretKey(secret, 'utf8') : createSecretKey(secret);
}

/** Hex HMAC-SHA256 over the prefix and the body. Typed as in hmac.web.ts, which is asynchronous. */
export function hmacSha256(key: HmacKey, prefix: string, body: Uint8Array): string | Promise<string> {
  return createHmac('sha256', key).update(prefix).update(body).digest('hex');
}

export function equalInConstantTime(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one, 'latin1'), Buffer.from(other, 'latin1'));
}
