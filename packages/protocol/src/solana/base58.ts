// Base58 in Solana's format for addresses and signatures: a leading zero byte is a leading 1.

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = 58n;
const BYTE = 256n;

export function base58FromBytes(bytes: Uint8Array): string {
  let rest = 0n;
  for (const byte of bytes) rest = rest * BYTE + BigInt(byte);
  let digits = '';
  for (; rest > 0n; rest /= BASE) digits = ALPHABET.charAt(Number(rest % BASE)) + digits;
  const firstSet = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(firstSet === -1 ? bytes.length : firstSet) + digits;
}

/** Undefined when a character is not in the alphabet. */
export function bytesFromBase58(text: string): Uint8Array | undefined {
  let rest = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit === -1) return undefined;
    rest = rest * BASE + BigInt(digit);
  }
  const bytes: number[] = [];
  for (; rest > 0n; rest /= BYTE) bytes.unshift(Number(rest % BYTE));
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return Uint8Array.from([...new Uint8Array(zeros), ...bytes]);
}
