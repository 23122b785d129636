import { createHash } from 'node:crypto';

/** What an idempotency key stands for. Neither method nor path can hold a space or a line break, so no two requests mix. */
export function requestHash(method: string, path: string, body: Uint8Array): Uint8Array {
  return createHash('sha256').update(`${method} ${path}\n`).update(body).digest();
}
