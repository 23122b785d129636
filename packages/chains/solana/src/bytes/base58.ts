// Base58 in Solana's format for addresses and signatures: a leading zero byte is a leading 1. Several bytes, and several
// characters, are taken at once, each step in whole numbers that a double holds exactly: big integers take ten times as long.

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = 58;
/** Characters at once. 58^5 · 2^16 and a carry stay below 2^53. */
const STEP = 5;
const STEP_BASE = BASE ** STEP;
const WORD = 2 ** 16;

export function base58Of(bytes: Uint8Array): string {
  // Numbers below 58^5, the lowest first.
  const parts: number[] = [];
  let at = 0;
  while (at < bytes.length) {
    const isOdd = (bytes.length - at) % 2 === 1;
    const word = isOdd ? byteAt(bytes, at) : byteAt(bytes, at) * 256 + byteAt(bytes, at + 1);
    at += isOdd ? 1 : 2;
    shiftIn(parts, word, isOdd ? 256 : WORD, STEP_BASE);
  }
  let digits = '';
  for (const part of parts) {
    let rest = part;
    for (let digit = 0; digit < STEP; digit += 1) {
      digits = ALPHABET.charAt(rest % BASE) + digits;
      rest = Math.floor(rest / BASE);
    }
  }
  const firstSet = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(firstSet === -1 ? bytes.length : firstSet) + digits.replace(/^1+/, '');
}

/** Undefined when a character is not in the alphabet. */
export function bytesOfBase58(text: string): Uint8Array | undefined {
  // Numbers below 2^16, the lowest first.
  const words: number[] = [];
  let at = 0;
  while (at < text.length) {
    const end = at + ((text.length - at) % STEP || STEP);
    let value = 0;
    let factor = 1;
    for (; at < end; at += 1) {
      const digit = DIGITS[text.charCodeAt(at)] ?? NO_DIGIT;
      if (digit === NO_DIGIT) return undefined;
      value = value * BASE + digit;
      factor *= BASE;
    }
    shiftIn(words, value, factor, WORD);
  }
  let zeros = 0;
  while (text[zeros] === '1') zeros += 1;
  const bytes: number[] = Array.from({ length: zeros }, () => 0);
  for (const [index, word] of words.toReversed().entries()) {
    if (index > 0 || word > 255) bytes.push(Math.floor(word / 256));
    bytes.push(word % 256);
  }
  return Uint8Array.from(bytes);
}

/** `parts`, a number in base `base`, times `factor`, plus `value`. */
function shiftIn(parts: number[], value: number, factor: number, base: number): void {
  let carry = value;
  for (let place = 0; place < parts.length; place += 1) {
    const sum = (parts[place] ?? 0) * factor + carry;
    carry = Math.floor(sum / base);
    parts[place] = sum - carry * base;
  }
  for (; carry > 0; carry = Math.floor(carry / base)) parts.push(carry % base);
}

const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0;

const NO_DIGIT = 255;
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
for (let digit = 0; digit < BASE; digit += 1) DIGITS[ALPHABET.charCodeAt(digit)] = digit;
