import { createHmac, timingSafeEqual } from 'node:crypto';

/** Hex HMAC-SHA256 over the prefix and the body. Typed as in hmac.web.ts, where it has to be awaited. */
export function hmacSha256(secret: string, prefix: string, body: Uint8Array): string | Promise<string> {
  return createHmac('sha256', secret).update(prefix).update(body).digest('hex');
}

export function equalInConstantTime(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one, 'latin1'), Buffer.from(other, 'latin1'));
}
