import { hmacSha256, prepareKey } from '#hmac';
import { formatSignatureHeader } from './signature-header.ts';

/** Value of `X-SVC-Signature` for these exact bytes at this second. `X-SVC-Timestamp` must have the same `t`. */
export async function signWebhook(secret: string, timestampSeconds: number, body: Uint8Array): Promise<string> {
  if (secret === '') throw new TypeError('the signing secret is empty');
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0) throw new RangeError('not a Unix time');
  const signature = await hmacSha256(prepareKey(secret), `${timestampSeconds}.`, body);
  return formatSignatureHeader(timestampSeconds, signature);
}
