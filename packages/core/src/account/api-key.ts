// Format: `sk_test_` + 32 random bytes in base62 + a checksum of six characters. The checksum refuses a mistyped or
// truncated key without a database query.
import { crc32 } from 'node:zlib';
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

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_BYTES = 32;
/** 62^43 is just above 2^256. */
const BODY_CHARACTERS = 43;
const CHECKSUM_CHARACTERS = 6;
const KEY_TEXT = /^([ps]k)_(test|live)_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export function makeApiKey(kind: KeyKind, mode: Mode, randomBytes: (length: number) => Uint8Array): ApiKeyText {
  const random = randomBytes(RANDOM_BYTES).reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
  const body = PREFIXES[kind][mode] + inBase62(random, BODY_CHARACTERS);
  return (body + checksum(body)) as ApiKeyText;
}

/** Undefined for a text that can't be one of our keys. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const match = KEY_TEXT.exec(text);
  if (match === null) return undefined;
  const [, kindText, mode] = match;
  if (checksum(text.slice(0, -CHECKSUM_CHARACTERS)) !== text.slice(-CHECKSUM_CHARACTERS)) return undefined;
  return { text: text as ApiKeyText, kind: kindText === 'pk' ? 'publishable' : 'secret', mode: mode as Mode };
}

/** Hint that may be shown: enough to recognise the key, too little to use it. */
export function hintOf(key: ApiKeyText): string {
  return `${key.slice(0, 8)}…${key.slice(-4)}`;
}

function checksum(body: string): string {
  return inBase62(BigInt(crc32(body)), CHECKSUM_CHARACTERS);
}

function inBase62(value: bigint, length: number): string {
  let text = '';
  let rest = value;
  for (let position = 0; position < length; position += 1) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
