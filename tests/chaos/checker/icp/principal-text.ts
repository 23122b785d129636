import { crc32 } from 'node:zlib';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** The textual form of a principal, which is that of its account without a subaccount: checksum and bytes in base 32. */
export function accountIn(principal: Uint8Array): string {
  const bytes = Buffer.concat([Buffer.alloc(4), principal]);
  bytes.writeUInt32BE(crc32(principal));
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]);
  return (letters.join('').match(/.{1,5}/g) ?? []).join('-');
}
