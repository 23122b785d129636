// What a lying boundary node tells of a ledger's blocks: a transfer that nobody made.
import { IDL } from '@icp-sdk/core/candid';
import { Principal } from '@icp-sdk/core/principal';
import type { QueryAsked } from '../local/boundary/faults.ts';
import { type BlockValue, fieldOf } from '../read/block-value.ts';
import { type AskedBlocks, BLOCK_RANGES, BLOCKS_ANSWER, type BlocksAnswer } from '../read/log-candid.ts';

export type ForgedTransfer = {
  /** Principals in their textual form. */
  readonly from: string;
  readonly to: string;
  readonly amountAtomic: bigint;
  readonly memo: Uint8Array;
};

/**
 * The last block of a true answer becomes the transfer, and continues the block before it; where there is none, the block that
 * was asked for. Undefined for another method.
 */
export function forgeTransfer(
  { method, arg }: QueryAsked,
  truth: Uint8Array,
  transfer: ForgedTransfer,
): Uint8Array | undefined {
  if (method !== 'icrc3_get_blocks') return undefined;
  const [asked] = IDL.decode([BLOCK_RANGES], arg) as unknown as [readonly AskedBlocks[]];
  const [told] = IDL.decode([BLOCKS_ANSWER], truth) as unknown as [BlocksAnswer];
  const last = told.blocks.at(-1);
  const id = last?.id ?? asked[0]?.start ?? 0n;
  const block = blockOf(last?.block, transfer);
  const length = told.log_length > id ? told.log_length : id + 1n;
  const forged = { ...told, log_length: length, blocks: [...told.blocks.slice(0, -1), { id, block }] };
  return new Uint8Array(IDL.encode([BLOCKS_ANSWER], [forged]));
}

const accountOf = (principal: string): BlockValue => ({
  Array: [{ Blob: Principal.fromText(principal).toUint8Array() }],
});

function blockOf(replaced: BlockValue | undefined, { from, to, amountAtomic, memo }: ForgedTransfer): BlockValue {
  const [parent, time] = [fieldOf(replaced, 'phash'), fieldOf(replaced, 'ts')];
  const transaction: BlockValue = {
    Map: [
      ['op', { Text: 'xfer' }],
      ['from', accountOf(from)],
      ['to', accountOf(to)],
      ['amt', { Nat: amountAtomic }],
      ['memo', { Blob: memo }],
    ],
  };
  return {
    Map: [
      ...(parent === undefined ? [] : [['phash', parent] as const]),
      ['ts', time ?? { Nat: BigInt(Date.now()) * 1_000_000n }],
      ['tx', transaction],
    ],
  };
}
