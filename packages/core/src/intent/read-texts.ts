// The free texts of a request: bounded, and free of what neither JSON nor Postgres can carry unchanged.
import type { CreateIntentRequest } from '@svc-pay/protocol';
import type { JsonObject } from './intent.ts';

const MAX_CHARACTERS = {
  description: 1_000,
  resource: 2_048,
  mimeType: 255,
  expectedSenderPrincipal: 128,
  publicKey: 64,
  payerPublicKey: 64,
  tokenShortcode: 64,
  symbol: 64,
  ledgerCanisterId: 128,
} as const;

const MAX_METADATA_BYTES = 16 * 1_024;
const MAX_METADATA_KEYS = 50;
const SERVICE_KEY = /^svc_/;

/** The first field that does not fit, or undefined. */
export function unfitText(request: CreateIntentRequest): keyof typeof MAX_CHARACTERS | undefined {
  const names = Object.keys(MAX_CHARACTERS) as (keyof typeof MAX_CHARACTERS)[];
  return names.find((name) => {
    const text = request[name];
    if (text === undefined || text === null) return false;
    return text.length > MAX_CHARACTERS[name] || text.includes('\0') || !text.isWellFormed();
  });
}

export type ReadMetadata = { readonly ok: true; readonly metadata: JsonObject } | { readonly ok: false };

/** A client's copy of the service's own keys is dropped, never refused: clients echo what they were given. */
export function readMetadata(given: JsonObject | null | undefined): ReadMetadata {
  const metadata = Object.fromEntries(Object.entries(given ?? {}).filter(([key]) => !SERVICE_KEY.test(key)));
  const fits =
    Object.keys(metadata).length <= MAX_METADATA_KEYS &&
    Buffer.byteLength(JSON.stringify(metadata), 'utf8') <= MAX_METADATA_BYTES;
  return fits ? { ok: true, metadata } : { ok: false };
}
