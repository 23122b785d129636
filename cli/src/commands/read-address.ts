// Reads a payout address that a person typed. A mixed-case address carries a checksum (EIP-55), which is verified:
// money sent to a mistyped address is lost.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { isSolanaAddress } from '@svc-pay/solana';

export type ReadAddress =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly message: string };

/** Returns lower case, as stored. */
export function readEvmAddress(text: string): ReadAddress {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return { ok: false, message: 'an address is 0x and 40 hexadecimal digits' };
  const address = text.toLowerCase();
  if (/^0x0{40}$/.test(address)) return { ok: false, message: 'the zero address belongs to nobody' };
  const digits = text.slice(2);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (!oneCase && withChecksum(address) !== text) {
    return { ok: false, message: 'the checksum in its upper and lower case does not fit, so it is mistyped' };
  }
  return { ok: true, address };
}

/** Returns the text unchanged: base58 is case-sensitive. */
export function readSolanaAddress(text: string): ReadAddress {
  if (!isSolanaAddress(text)) return { ok: false, message: 'an address is 32 bytes in base58' };
  return { ok: true, address: text };
}

function withChecksum(address: string): string {
  const digits = address.slice(2);
  const hash = keccak_256(new TextEncoder().encode(digits));
  const nibble = (index: number) => ((hash[index >> 1] ?? 0) >> (index % 2 === 0 ? 4 : 0)) & 15;
  return `0x${Array.from(digits, (digit, index) => (nibble(index) >= 8 ? digit.toUpperCase() : digit)).join('')}`;
}
