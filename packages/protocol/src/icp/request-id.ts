import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import type { Cbor, CborMap } from './cbor.ts';
import { leb128 } from './leb128.ts';

const text = new TextEncoder();

/** Id of the request with this content. */
export const requestIdOf = (content: CborMap): Uint8Array => hashOf(content);

/** The hash that does not depend on how a value is written down. */
function hashOf(value: Cbor): Uint8Array {
  if (typeof value === 'bigint') return sha256(leb128(value));
  if (typeof value === 'string') return sha256(text.encode(value));
  if (value instanceof Uint8Array) return sha256(value);
  if (!(value instanceof Map)) return sha256(concatBytes(...(value as readonly Cbor[]).map(hashOf)));
  const fields = [...(value as CborMap)].map(([name, field]) => concatBytes(sha256(text.encode(name)), hashOf(field)));
  return sha256(concatBytes(...fields.toSorted(compare)));
}

function compare(one: Uint8Array, other: Uint8Array): number {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return (one[at] ?? 0) - (other[at] ?? 0);
}
