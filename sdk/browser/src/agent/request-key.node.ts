import { createHash } from 'node:crypto';

/** One key for equal texts and an equal body; SHA-256, in hex. */
export function requestKey(texts: readonly string[], body: Uint8Array | undefined): string {
  const hash = createHash('sha256').update(`${JSON.stringify(texts)}\n`);
  if (body !== undefined) hash.update(body);
  return hash.digest('hex');
}
