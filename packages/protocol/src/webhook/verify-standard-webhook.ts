// Verifies deliveries by Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature`, keyed with the
// secret of one endpoint. The secret gives no API access, so such a receiver has no key that can move money.
import { equalInConstantTime, hmacSha256, prepareKey } from '#hmac';
import { bytesFromBase64 } from '../header/base64.ts';
import { DEFAULT_TOLERANCE_SECONDS, type WebhookVerdict } from './verify-webhook.ts';

export const STANDARD_ID_HEADER = 'webhook-id';
export const STANDARD_TIMESTAMP_HEADER = 'webhook-timestamp';
export const STANDARD_SIGNATURE_HEADER = 'webhook-signature';
export const STANDARD_SECRET_PREFIX = 'whsec_';

const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;
const MAX_HEADER_CHARACTERS = 2_048;
const MAX_CANDIDATES = 8;

export type StandardDelivery = {
  /** The three headers as received; a repeated header is refused. */
  readonly id: unknown;
  readonly timestamp: unknown;
  readonly signature: unknown;
  /** The raw request body, not parsed. */
  readonly body: unknown;
  readonly nowSeconds: number;
};

export type StandardWebhookVerifier = (delivery: StandardDelivery) => Promise<WebhookVerdict>;

/** Secrets are `whsec_` and the base64 of 24 to 64 bytes. A delivery signed with any of them passes. */
export function createStandardWebhookVerifier(
  secrets: readonly string[],
  toleranceSeconds: number = DEFAULT_TOLERANCE_SECONDS,
): StandardWebhookVerifier {
  if (secrets.length === 0) throw new TypeError('a webhook verifier needs at least one secret');
  if (!(toleranceSeconds >= 0)) throw new RangeError('the tolerance is a number of seconds');
  const keys = secrets.map((secret) => prepareKey(secretBytes(secret)));

  return async ({ id, timestamp, signature, body, nowSeconds }) => {
    if (!(body instanceof Uint8Array)) return { ok: false, code: 'body_not_raw_bytes' };
    if (isAbsent(id) || isAbsent(timestamp) || isAbsent(signature)) return { ok: false, code: 'signature_missing' };
    const candidates = typeof signature === 'string' ? candidatesIn(signature) : undefined;
    if (candidates === undefined || !isText(id, /^[!-\-/-~]{1,256}$/) || !isText(timestamp, /^\d{1,12}$/)) {
      return { ok: false, code: 'signature_malformed' };
    }

    let matches = false;
    for (const key of keys) {
      const expected = await hmacSha256(key, `${id}.${timestamp}.`, body);
      // No early return: the time must not show how many candidates were tried.
      for (const candidate of candidates) matches = equalInConstantTime(expected, candidate) || matches;
    }
    if (!matches) return { ok: false, code: 'signature_mismatch' };

    const timestampSeconds = Number(timestamp);
    if (Math.abs(nowSeconds - timestampSeconds) > toleranceSeconds) {
      return { ok: false, code: 'timestamp_out_of_tolerance' };
    }
    return { ok: true, timestampSeconds };
  };
}

/** `v1,<base64>` items separated by spaces, as hex; items of other schemes are skipped. */
function candidatesIn(text: string): readonly string[] | undefined {
  if (text.length > MAX_HEADER_CHARACTERS) return undefined;
  const candidates: string[] = [];
  for (const item of text.split(' ')) {
    if (!/^[a-z0-9]+,[\w+/=-]+$/.test(item)) return undefined;
    if (!item.startsWith('v1,')) continue;
    if (!/^v1,[A-Za-z0-9+/]{43}=$/.test(item) || candidates.length === MAX_CANDIDATES) return undefined;
    candidates.push(hexOf(atob(item.slice(3))));
  }
  return candidates.length === 0 ? undefined : candidates;
}

function secretBytes(secret: string): Uint8Array {
  const bytes = secret.startsWith(STANDARD_SECRET_PREFIX)
    ? bytesFromBase64(secret.slice(STANDARD_SECRET_PREFIX.length))
    : undefined;
  if (bytes === undefined || bytes.length < MIN_SECRET_BYTES || bytes.length > MAX_SECRET_BYTES) {
    throw new TypeError('the secret of an endpoint is whsec_ and the base64 of 24 to 64 bytes');
  }
  return bytes;
}

const isAbsent = (header: unknown) => header === undefined || header === null || header === '';

function isText(header: unknown, form: RegExp): header is string {
  return typeof header === 'string' && form.test(header);
}

function hexOf(binary: string): string {
  let hex = '';
  for (let index = 0; index < binary.length; index += 1)
    hex += (binary.charCodeAt(index) + 0x100).toString(16).slice(1);
  return hex;
}
