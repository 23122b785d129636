// Keys of metadata by which an account finds its intents. What is stored of a value is a digest.
import { createHash } from 'node:crypto';
import type { Mode } from '../account/mode.ts';
import type { MetadataFilter } from './payment-filter.ts';

type Owner = { readonly accountId: string; readonly mode: Mode };
type JsonFields = Readonly<Record<string, unknown>>;

export type MetadataKey = { readonly key: string; readonly declaredAtMs: number };

/** Per account and mode. */
export const MAX_METADATA_KEYS_DECLARED = 5;
/** Characters; a longer value is not found. */
const MAX_VALUE = 500;
const KEY = /^[A-Za-z0-9_.-]{1,40}$/;
const SERVICE_KEY = /^svc_/i;
/** API processes know of a declaration after this time at the latest: the most that their cache of settings keeps. */
const KNOWN_AFTER_MS = 60_000;

export const isMetadataKey = (key: string): boolean => KEY.test(key) && !SERVICE_KEY.test(key);

/** `order:42`: a key has no colon, a value may have. */
export function readMetadataFilter(text: string): MetadataFilter | undefined {
  const [, key = '', value] = /^([^:]*):([^\0]*)$/s.exec(text) ?? [];
  return value === undefined || value.length > MAX_VALUE || !isMetadataKey(key) ? undefined : { key, value };
}

/** From then on every new intent with the key is found by it. */
export const foundFromMs = ({ declaredAtMs }: MetadataKey): number => declaredAtMs + KNOWN_AFTER_MS;

export function metadataDigest({ accountId, mode }: Owner, { key, value }: MetadataFilter): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([accountId, mode, key, value]))
    .digest();
}

/** Digests of the declared keys that the intent has with a text, a number or a boolean. */
export function metadataDigests(
  intent: Owner & { readonly metadata: JsonFields },
  keys: readonly MetadataKey[],
): readonly Uint8Array[] {
  return keys.flatMap(({ key }) => {
    const value = textOf(intent.metadata, key);
    return value === undefined || value.length > MAX_VALUE ? [] : [metadataDigest(intent, { key, value })];
  });
}

function textOf(metadata: JsonFields, key: string): string | undefined {
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
