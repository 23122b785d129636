// Hashes of ICRC-3 values and of hash trees, written for tests from the standards alone, so that a ledger is not checked by
// its own code.
import { createHash } from 'node:crypto';

export type BlockValue =
  | { readonly Blob: Uint8Array }
  | { readonly Text: string }
  | { readonly Nat: bigint }
  | { readonly Int: bigint }
  | { readonly Array: readonly BlockValue[] }
  | { readonly Map: readonly (readonly [string, BlockValue])[] };

export function hashOfBlock(value: BlockValue): Buffer {
  if ('Blob' in value) return sha256(value.Blob);
  if ('Text' in value) return sha256(Buffer.from(value.Text));
  if ('Nat' in value) return sha256(naturalBytes(value.Nat));
  if ('Int' in value) throw new Error('no block of a ledger has an Int');
  if ('Array' in value) return sha256(Buffer.concat(value.Array.map(hashOfBlock)));
  const entries = value.Map.map(([name, entry]) => Buffer.concat([sha256(Buffer.from(name)), hashOfBlock(entry)]));
  return sha256(Buffer.concat(entries.sort((one, other) => Buffer.compare(one, other))));
}

/** Unsigned LEB128. */
export function naturalBytes(value: bigint): Buffer {
  const low = Number(value % 128n);
  return value < 128n ? Buffer.of(low) : Buffer.concat([Buffer.of(low + 128), naturalBytes(value / 128n)]);
}

export function fieldOf(value: BlockValue | undefined, name: string): BlockValue | undefined {
  return value !== undefined && 'Map' in value ? value.Map.find(([field]) => field === name)?.[1] : undefined;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
