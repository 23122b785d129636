// Peppers hash what is looked up and derive what is stored nowhere. While one is replaced there are several.
import { keyIndex } from './key-index.ts';

/** The first hashes and derives; each is tried on what somebody shows. */
export type Peppers = readonly [Uint8Array, ...Uint8Array[]];

/** Indexes of one key, under each pepper. The first names the key in caches. */
export type KeyIndexes = readonly [Uint8Array, ...Uint8Array[]];

export type NumberedPepper = {
  /** 1 to 255; operators are stored with it, because their keys can't be hashed anew. */
  readonly number: number;
  readonly bytes: Uint8Array;
};

export type NumberedPeppers = readonly [NumberedPepper, ...NumberedPepper[]];

export function pepperBytes([first, ...others]: NumberedPeppers): Peppers {
  return [first.bytes, ...others.map(({ bytes }) => bytes)];
}

export function keyIndexes([first, ...others]: Peppers, key: string): KeyIndexes {
  return [keyIndex(first, key), ...others.map((pepper) => keyIndex(pepper, key))];
}
