/** Base64 of the JSON text, as x402 writes its headers. */
export function base64OfJson(value: object): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(JSON.stringify(value))) binary += String.fromCharCode(byte);
  return btoa(binary);
}
