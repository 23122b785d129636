// CBOR as far as calls and certificates of the Internet Computer use it.

import { concatBytes } from '@noble/hashes/utils.js';

export type CborMap = ReadonlyMap<string, Cbor>;
export type Cbor = bigint | string | Uint8Array | readonly Cbor[] | CborMap;

/** A tree of a certificate is some forty deep. */
const DEEPEST = 200;
const POSITIVE_BIGNUM = 2n;

/** Throws for what is no CBOR, or a kind of it that the Internet Computer does not use. */
function readCbor(bytes: Uint8Array): Cbor {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (length: bigint | number): Uint8Array => {
    const end = at + Number(length);
    if (end > bytes.length) throw new RangeError('the bytes end too early');
    const part = bytes.subarray(at, end);
    at = end;
    return part;
  };
  const argumentOf = (short: number): bigint => {
    if (short < 24) return BigInt(short);
    if (short > 27) throw new RangeError('lengths must be told');
    const start = at;
    const size = take(2 ** (short - 24)).length;
    if (size === 1) return BigInt(view.getUint8(start));
    if (size === 2) return BigInt(view.getUint16(start));
    return size === 4 ? BigInt(view.getUint32(start)) : view.getBigUint64(start);
  };
  const item = (depth: number): Cbor => {
    if (depth > DEEPEST) throw new RangeError('too deep');
    const first = take(1)[0] ?? 0;
    const argument = argumentOf(first & 31);
    switch (first >> 5) {
      case 0:
        return argument;
      case 2:
        return take(argument);
      case 3:
        return new TextDecoder('utf-8', { fatal: true }).decode(take(argument));
      case 4: {
        const list: Cbor[] = [];
        for (let left = argument; left > 0n; left -= 1n) list.push(item(depth + 1));
        return list;
      }
      case 5: {
        const map = new Map<string, Cbor>();
        for (let left = argument; left > 0n; left -= 1n) {
          const key = item(depth + 1);
          if (typeof key !== 'string' || map.has(key)) throw new TypeError('a key is no text, or there twice');
          map.set(key, item(depth + 1));
        }
        return map;
      }
      case 6: {
        const tagged = item(depth + 1);
        if (argument !== POSITIVE_BIGNUM || !(tagged instanceof Uint8Array)) return tagged;
        return tagged.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
      }
      default:
        throw new TypeError('a kind of value that is not used here');
    }
  };
  const read = item(0);
  if (at !== bytes.length) throw new RangeError('bytes are left over');
  return read;
}

/** Throws for anything but a map. */
export function readCborMap(bytes: Uint8Array): CborMap {
  const read = readCbor(bytes);
  if (!(read instanceof Map)) throw new TypeError('no map');
  return read;
}

/** Lengths in the shortest form, as requests of the Internet Computer have them. */
export function writeCbor(value: Cbor): Uint8Array {
  if (typeof value === 'bigint') return head(0, value);
  if (value instanceof Uint8Array) return concatBytes(head(2, BigInt(value.length)), value);
  if (typeof value === 'string') {
    const bytes = new TextEncoder().encode(value);
    return concatBytes(head(3, BigInt(bytes.length)), bytes);
  }
  if (value instanceof Map) {
    const fields = [...(value as CborMap)].flatMap((field) => field.map(writeCbor));
    return concatBytes(head(5, BigInt(value.size)), ...fields);
  }
  const list = value as readonly Cbor[];
  return concatBytes(head(4, BigInt(list.length)), ...list.map(writeCbor));
}

function head(kind: number, argument: bigint): Uint8Array {
  if (argument < 24n) return Uint8Array.of((kind << 5) | Number(argument));
  const size = [1, 2, 4].find((bytes) => argument < 1n << BigInt(8 * bytes)) ?? 8;
  const bytes = new Uint8Array(1 + 8);
  new DataView(bytes.buffer).setBigUint64(1, argument);
  const written = bytes.slice(8 - size);
  written[0] = (kind << 5) | (24 + Math.log2(size));
  return written;
}
