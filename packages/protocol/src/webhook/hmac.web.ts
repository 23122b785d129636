// The functions of hmac.node.ts on WebCrypto; selected by the package's `#hmac` import condition.

const utf8 = new TextEncoder();

export type HmacKey = ReturnType<typeof crypto.subtle.importKey>;

export function prepareKey(secret: string | Uint8Array): HmacKey {
  // A copy, because WebCrypto refuses bytes of shared memory.
  const bytes = typeof secret === 'string' ? utf8.encode(secret) : new Uint8Array(secret);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

export async function hmacSha256(key: HmacKey, prefix: string, body: Uint8Array): Promise<string> {
  const head = utf8.encode(prefix);
  const message = new Uint8Array(head.length + body.length);
  message.set(head);
  message.set(body, head.length);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', await key, message));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Compares every character: the time depends only on the length, which is public. */
export function equalInConstantTime(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index += 1) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}
