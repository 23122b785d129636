// Keccak over words of 32 bytes, as hex. Nonces are computed for every acceptance, so both conversions use tables.
import { keccak_256 } from '@noble/hashes/sha3.js';

const WORD_DIGITS = 64;
const DIGITS = '0123456789abcdef';
const HEX_OF_BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const VALUE_OF_DIGIT = new Uint8Array(128);
for (let value = 0; value < DIGITS.length; value += 1) VALUE_OF_DIGIT[DIGITS.charCodeAt(value)] = value;

export const numberWord = (value: string | number): string => BigInt(value).toString(16).padStart(WORD_DIGITS, '0');

/** Of hex digits in any letter case, without `0x`. */
export const hexWord = (digits: string): string => digits.toLowerCase().padStart(WORD_DIGITS, '0');

export const addressWord = (address: string): string => hexWord(address.slice(2));

/** The hash of the words one after the other, without `0x`. */
export function keccakOf(words: readonly string[]): string {
  const digits = words.join('');
  const bytes = new Uint8Array(digits.length / 2);
  for (let index = 0; index < bytes.length; index += 1)
    bytes[index] = valueAt(digits, 2 * index) * 16 + valueAt(digits, 2 * index + 1);
  let text = '';
  for (const byte of keccak_256(bytes)) text += HEX_OF_BYTE[byte];
  return text;
}

const valueAt = (digits: string, at: number): number => VALUE_OF_DIGIT[digits.charCodeAt(at)] ?? 0;
