// Values of which the blocks of a token ledger are made (ICRC-3), and their hashes.
import { createHash } from 'node:crypto';
import { leb128 } from '@svc-pay/protocol/icp';

export type BlockValue =
  | { readonly Blob: Uint8Array }
  | { readonly Text: string }
  | { readonly Nat: bigint }
  | { readonly Int: bigint }
  | { readonly Array: readonly BlockValue[] }
  | { readonly Map: readonly (readonly [string, BlockValue])[] };

/** The same for every representation of the block. */
export function hashOfBlock(value: BlockValue): Buffer {
  if ('Blob' in value) return sha256(value.Blob);
  if ('Text' in value) return sha256(Buffer.from(value.Text));
  if ('Nat' in value) return sha256(leb128(value.Nat));
  if ('Int' in value) return sha256(integerBytes(value.Int));
  if ('Array' in value) return sha256(Buffer.concat(value.Array.map(hashOfBlock)));
  const entries = value.Map.map(([name, entry]) => Buffer.concat([sha256(Buffer.from(name)), hashOfBlock(entry)]));
  return sha256(Buffer.concat(entries.sort((one, other) => Buffer.compare(one, other))));
}

/** Signed LEB128. */
function integerBytes(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest < -64n || rest >= 64n; rest >>= 7n) bytes.push(Number(rest & 127n) + 128);
  return Buffer.from([...bytes, Number(rest & 127n)]);
}

export function fieldOf(value: BlockValue | undefined, name: string): BlockValue | undefined {
  return value !== undefined && 'Map' in value ? value.Map.find(([field]) => field === name)?.[1] : undefined;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
