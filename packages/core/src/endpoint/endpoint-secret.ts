// Secret of one webhook endpoint, for Standard Webhooks receivers: unlike the account's key it gives no API access.
import type { SecretContext } from '../account/secret-context.ts';

const PREFIX = 'whsec_';
const MIN_BYTES = 24;
const MAX_BYTES = 64;

export function newEndpointSecret(randomBytes: (length: number) => Uint8Array): string {
  return `${PREFIX}${Buffer.from(randomBytes(32)).toString('base64')}`;
}

/** Undefined when the text is not an endpoint secret. */
export function endpointSecretBytes(text: string): Uint8Array | undefined {
  const base64 = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES ? bytes : undefined;
}

/** Context that the ciphertexts of an endpoint are bound to. */
export function endpointContext(
  accountId: string,
  endpointId: string,
  purpose: 'endpoint-secret' | 'endpoint-headers',
): SecretContext {
  return { accountId, id: endpointId, purpose };
}
