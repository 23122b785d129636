// Verifies a delivery as received: signature, then timestamp in both directions. read-event.ts parses the JSON.
import { equalInConstantTime, hmacSha256, prepareKey } from '#hmac';
import { parseSignatureHeader } from './signature-header.ts';

export const DEFAULT_TOLERANCE_SECONDS = 300;

export type WebhookRefusal =
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_mismatch'
  | 'timestamp_out_of_tolerance'
  | 'body_not_raw_bytes';

export type WebhookVerdict =
  | { readonly ok: true; readonly timestampSeconds: number }
  | { readonly ok: false; readonly code: WebhookRefusal };

export type ReceivedDelivery = {
  /** The header's value as received. Some servers give an array for a repeated header: refused. */
  readonly signature: unknown;
  /** The raw request body, not parsed. */
  readonly body: unknown;
  readonly nowSeconds: number;
};

export type WebhookVerifier = (delivery: ReceivedDelivery) => Promise<WebhookVerdict>;

/** Several secrets allow a rotation: a delivery signed with any of them passes. */
export function createWebhookVerifier(
  secrets: readonly string[],
  toleranceSeconds: number = DEFAULT_TOLERANCE_SECONDS,
): WebhookVerifier {
  if (secrets.length === 0 || secrets.some((secret) => secret === '')) {
    throw new TypeError('a webhook verifier needs at least one secret, and none may be empty');
  }
  if (!(toleranceSeconds >= 0)) throw new RangeError('the tolerance is a number of seconds');
  const keys = secrets.map(prepareKey);

  return async ({ signature, body, nowSeconds }) => {
    if (!(body instanceof Uint8Array)) return refuse('body_not_raw_bytes');
    if (signature === undefined || signature === null || signature === '') return refuse('signature_missing');
    const header = typeof signature === 'string' ? parseSignatureHeader(signature) : undefined;
    if (header === undefined) return refuse('signature_malformed');

    const prefix = `${header.timestampText}.`;
    let matches = false;
    for (const key of keys) {
      const expected = await hmacSha256(key, prefix, body);
      // No early return: the time must not show how many candidates were tried.
      for (const candidate of header.candidates) matches = equalInConstantTime(expected, candidate) || matches;
    }
    if (!matches) return refuse('signature_mismatch');

    const timestampSeconds = Number(header.timestampText);
    if (Math.abs(nowSeconds - timestampSeconds) > toleranceSeconds) return refuse('timestamp_out_of_tolerance');
    return { ok: true, timestampSeconds };
  };
}

function refuse(code: WebhookRefusal): WebhookVerdict {
  return { ok: false, code };
}
