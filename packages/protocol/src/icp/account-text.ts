// Principals and ICRC-1 accounts as text. Every account has one text, so that texts are compared and stored: other spellings of
// it are refused, not corrected.
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';

/** An account in its textual form, canonical. With the default subaccount it is the text of its owner. */
export type IcrcAccount = string;

export const ANONYMOUS_PRINCIPAL = '2vxsx-fae';
export const MANAGEMENT_CANISTER = 'aaaaa-aa';

export type AccountParts = {
  /** Canonical text of a principal. */
  readonly owner: string;
  /** 32 bytes; null for the default subaccount, which is all zeros. */
  readonly subaccount: Uint8Array | null;
};

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const MOST_PRINCIPAL_BYTES = 29;
const CHECKSUM_BYTES = 4;
const SUBACCOUNT_BYTES = 32;
/** Longer than any account. */
const MOST_CHARACTERS = 150;

export function principalText(bytes: Uint8Array): string {
  if (bytes.length > MOST_PRINCIPAL_BYTES) throw new RangeError('a principal has at most 29 bytes');
  const letters = base32(concatBytes(checksum(bytes), bytes));
  return letters.match(/.{1,5}/g)?.join('-') ?? '';
}

/** Undefined where the text is no principal, or another spelling of one. */
export function principalBytes(text: string): Uint8Array | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const bytes = fromBase32(text.replaceAll('-', ''))?.subarray(CHECKSUM_BYTES);
  if (bytes === undefined || bytes.length > MOST_PRINCIPAL_BYTES) return undefined;
  return principalText(bytes) === text ? bytes : undefined;
}

export const isPrincipal = (text: string): boolean => principalBytes(text) !== undefined;

export function accountText(owner: Uint8Array, subaccount: Uint8Array | null): IcrcAccount {
  if (subaccount !== null && subaccount.length !== SUBACCOUNT_BYTES) throw new RangeError('a subaccount has 32 bytes');
  const principal = principalText(owner);
  if (subaccount === null || subaccount.every((byte) => byte === 0)) return principal;
  const digits = bytesToHex(subaccount).replace(/^0+/, '');
  return `${principal}-${base32(checksum(concatBytes(owner, subaccount)))}.${digits}`;
}

/** Undefined where the text is no account, or another spelling of one. */
export function parseAccount(text: string): AccountParts | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const [, owner = text, digits] = /^(.+)-[a-z2-7]{7}\.([0-9a-f]{1,64})$/.exec(text) ?? [];
  const principal = principalBytes(owner);
  if (principal === undefined) return undefined;
  if (digits === undefined) return { owner, subaccount: null };
  const subaccount = hexToBytes(digits.padStart(2 * SUBACCOUNT_BYTES, '0'));
  return accountText(principal, subaccount) === text ? { owner, subaccount } : undefined;
}

/** The principal that owns an account. Throws for a text that is no account. */
export function ownerOf(account: IcrcAccount): string {
  const parts = parseAccount(account);
  if (parts === undefined) throw new Error(`${account} is no account`);
  return parts.owner;
}

/** CRC-32, big-endian. */
function checksum(bytes: Uint8Array): Uint8Array {
  let sum = 0xffff_ffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb8_8320 : 0);
  }
  const written = new Uint8Array(CHECKSUM_BYTES);
  new DataView(written.buffer).setUint32(0, ~sum >>> 0);
  return written;
}

function base32(bytes: Uint8Array): string {
  let [bits, held, text] = [0, 0, ''];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(held << (5 - bits)) & 31];
}

function fromBase32(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  for (const letter of text) {
    const value = ALPHABET.indexOf(letter);
    if (value === -1) return undefined;
    held = (held << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push(held >> bits);
      held &= (1 << bits) - 1;
    }
  }
  return new Uint8Array(bytes);
}
