// Text of a key: a prefix, 32 random bytes in base62 and a checksum of six characters. The checksum refuses a mistyped or
// truncated key without a database query.
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_BYTES = 32;
/** 62^43 is just above 2^256. */
const BODY_CHARACTERS = 43;
const CHECKSUM_CHARACTERS = 6;

export function makeKeyText(prefix: string, randomBytes: (length: number) => Uint8Array): string {
  const random = randomBytes(RANDOM_BYTES).reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
  const body = prefix + inBase62(random, BODY_CHARACTERS);
  return body + checksum(body);
}

export function hasChecksum(text: string): boolean {
  return checksum(text.slice(0, -CHECKSUM_CHARACTERS)) === text.slice(-CHECKSUM_CHARACTERS);
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
