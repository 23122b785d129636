// EIP-712 digests of the messages in typed-data.ts, without a library: the domain separator is computed once per token,
// and a digest is two short hashes. Every payment is verified by this code, so it must be fast.
import { keccak_256 } from '@noble/hashes/sha3.js';
import {
  DOMAIN_FIELDS,
  type Eip712Domain,
  type Hex,
  MESSAGE_FIELDS,
  type PrimaryType,
  type Signable,
} from './typed-data.ts';

const WORD_BYTES = 32;
const utf8 = new TextEncoder();

const typeHashes = Object.fromEntries(
  Object.entries(MESSAGE_FIELDS).map(([name, fields]) => [name, typeHash(name, fields)]),
) as Record<PrimaryType, Uint8Array>;
const domainTypeHash = typeHash('EIP712Domain', DOMAIN_FIELDS);

export function domainSeparator(domain: Eip712Domain): Uint8Array {
  return keccak_256(
    concatenate([
      domainTypeHash,
      keccak_256(utf8.encode(domain.name)),
      keccak_256(utf8.encode(domain.version)),
      wordFromNumber(BigInt(domain.chainId)),
      wordFromHex(domain.verifyingContract),
    ]),
  );
}

/** The 32 bytes that a signature signs. */
export function digest(separator: Uint8Array, { primaryType, message }: Signable): Uint8Array {
  const words = MESSAGE_FIELDS[primaryType].map(({ name, type }) => {
    const value = (message as Readonly<Record<string, string>>)[name] ?? '';
    return type === 'uint256' ? wordFromNumber(BigInt(value)) : wordFromHex(value as Hex);
  });
  const structHash = keccak_256(concatenate([typeHashes[primaryType], ...words]));
  return keccak_256(concatenate([Uint8Array.of(0x19, 0x01), separator, structHash]));
}

export function typeHash(
  name: string,
  fields: readonly { readonly name: string; readonly type: string }[],
): Uint8Array {
  return keccak_256(utf8.encode(`${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`));
}

export function wordFromNumber(value: bigint): Uint8Array {
  if (value < 0n || value >= 1n << 256n) throw new RangeError('not a uint256');
  return wordFromHex(`0x${value.toString(16)}`);
}

/** Left-padded to 32 bytes, as for addresses and numbers. */
export function wordFromHex(hex: Hex): Uint8Array {
  const digits = hex.slice(2).padStart(WORD_BYTES * 2, '0');
  if (digits.length !== WORD_BYTES * 2 || !/^[0-9a-fA-F]+$/.test(digits)) throw new RangeError('not a word of hex');
  const word = new Uint8Array(WORD_BYTES);
  for (let index = 0; index < WORD_BYTES; index += 1) {
    word[index] = Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16);
  }
  return word;
}

export function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
