// Key by which a person or a platform calls the admin API. Format: `opk_` + 32 random bytes in base62 + a checksum.
import { hasChecksum, makeKeyText } from '../account/key-text.ts';

declare const operatorKeyBrand: unique symbol;
/** A secret, never logged and never stored: the database has its HMAC under the pepper. */
export type OperatorKeyText = string & { readonly [operatorKeyBrand]: true };

const PREFIX = 'opk_';
const KEY_TEXT = /^opk_[0-9A-Za-z]{49}$/;

export function makeOperatorKey(randomBytes: (length: number) => Uint8Array): OperatorKeyText {
  return makeKeyText(PREFIX, randomBytes) as OperatorKeyText;
}

/** Undefined for a text that can't be an operator's key. */
export function parseOperatorKey(text: string): OperatorKeyText | undefined {
  return KEY_TEXT.test(text) && hasChecksum(text) ? (text as OperatorKeyText) : undefined;
}
