// Format: `sk_test_` + 32 random bytes in base62 + a checksum of six characters.
import { hasChecksum, makeKeyText } from './key-text.ts';
import type { Mode } from './mode.ts';

export const KEY_KINDS = ['publishable', 'secret'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

declare const apiKeyBrand: unique symbol;
/** Text of a key. That of a secret key is a secret and never logged. */
export type ApiKeyText = string & { readonly [apiKeyBrand]: true };

export type ParsedApiKey = { readonly text: ApiKeyText; readonly kind: KeyKind; readonly mode: Mode };

const PREFIXES = {
  publishable: { test: 'pk_test_', live: 'pk_live_' },
  secret: { test: 'sk_test_', live: 'sk_live_' },
} as const satisfies Record<KeyKind, Record<Mode, string>>;

const KEY_TEXT = /^([ps]k)_(test|live)_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export function makeApiKey(kind: KeyKind, mode: Mode, randomBytes: (length: number) => Uint8Array): ApiKeyText {
  return makeKeyText(PREFIXES[kind][mode], randomBytes) as ApiKeyText;
}

/** Undefined for a text that can't be one of our keys. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const match = KEY_TEXT.exec(text);
  if (match === null) return undefined;
  const [, kindText, mode] = match;
  if (!hasChecksum(text)) return undefined;
  return { text: text as ApiKeyText, kind: kindText === 'pk' ? 'publishable' : 'secret', mode: mode as Mode };
}

/** Hint that may be shown: enough to recognise the key, too little to use it. */
export function hintOf(key: ApiKeyText): string {
  return `${key.slice(0, 8)}…${key.slice(-4)}`;
}
