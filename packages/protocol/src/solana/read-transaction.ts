// A version 0 transaction, read by hand: as much of it as shows what it does and for whom. One spelling is read and
// nothing is skipped, so what is signed has no part that was not looked at.
import { base58FromBytes } from './base58.ts';

export type Instruction = {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
};

export type ReadTransaction = {
  /** The first one pays the fee. */
  readonly signers: readonly string[];
  readonly instructions: readonly Instruction[];
};

/** Of a packet, less its headers: no node takes more. */
export const MAX_TRANSACTION_BYTES = 1_232;
const SIGNATURE_BYTES = 64;
const ADDRESS_BYTES = 32;
const VERSION_0 = 0x80;

/** Undefined for other versions, address lookup tables, and whatever is not a whole transaction. */
export function readTransaction(wire: Uint8Array): ReadTransaction | undefined {
  if (wire.length > MAX_TRANSACTION_BYTES) return undefined;
  try {
    return readWhole(new Cursor(wire));
  } catch {
    return undefined;
  }
}

function readWhole(cursor: Cursor): ReadTransaction | undefined {
  const places = cursor.list(() => cursor.take(SIGNATURE_BYTES)).length;
  if (cursor.byte() !== VERSION_0) return undefined;
  const required = cursor.byte();
  cursor.take(2);
  const keys = cursor.list(() => base58FromBytes(cursor.take(ADDRESS_BYTES)));
  cursor.take(ADDRESS_BYTES);
  const keyAt = (index: number): string => keys[index] ?? broken();
  const instructions = cursor.list(() => ({
    program: keyAt(cursor.byte()),
    accounts: cursor.list(() => keyAt(cursor.byte())),
    data: cursor.take(cursor.length()),
  }));
  const lookups = cursor.length();
  const isWhole = lookups === 0 && cursor.isAtEnd() && places === required && required <= keys.length;
  return isWhole && new Set(keys).size === keys.length ? { signers: keys.slice(0, required), instructions } : undefined;
}

class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) return broken();
    this.#at += count;
    return this.#bytes.slice(this.#at - count, this.#at);
  }

  byte(): number {
    return this.take(1)[0] ?? broken();
  }

  /** Seven bits per byte, lowest first; a longer spelling than needed is none. */
  length(): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return byte === 0 && shift > 0 ? broken() : value;
    }
    return broken();
  }

  list<Item>(read: () => Item): readonly Item[] {
    return Array.from({ length: this.length() }, read);
  }
}

function broken(): never {
  throw new RangeError('not a transaction');
}
