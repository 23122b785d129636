// Base64 of bytes, the same on Node and in a browser.

const ALPHABETS = /^(?:[0-9A-Za-z+/]*|[0-9A-Za-z_-]*)={0,2}$/;

/**
 * Decodes standard or URL-safe base64, padded or not; undefined for anything else (white space, mixed alphabets,
 * impossible lengths).
 */
export function bytesFromBase64(text: string): Uint8Array | undefined {
  if (!ALPHABETS.test(text)) return undefined;
  const digits = text.replace(/=+$/, '');
  const padded = digits.length === text.length ? digits.length % 4 !== 1 : text.length % 4 === 0;
  if (!padded) return undefined;
  const binary = atob(digits.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(binary.length);
  // An indexed loop: every payment passes here, and an iterator over characters takes thirty times as long.
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

export function base64FromBytes(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
