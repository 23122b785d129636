// Decides what blocks of a token ledger mean for its cursor: they continue what was read, or the ledger has become another.
import type { ToldBlocks } from './icrc-chain.ts';
import type { IcrcTransfer, LedgerCursor, ReadBlocks } from './icrc-store.ts';
import type { TokenBlock } from './token-block.ts';
import { intentCodeIn } from './transfer-memo.ts';

export type JudgedBlocks =
  | { readonly verdict: 'continues'; readonly read: Omit<ReadBlocks, 'wholeSinceMs'>; readonly isWhole: boolean }
  /** A block does not name the one before it, or blocks are gone that were read. */
  | { readonly verdict: 'forked'; readonly index: bigint };

/** Amounts beyond this are not stored, and no token has as many units. */
const AMOUNT_END = 2n ** 256n;

export function judgeBlocks(cursor: LedgerCursor, { length, blocks }: ToldBlocks): JudgedBlocks {
  let { nextIndex, lastHash } = cursor;
  if (length < nextIndex) return { verdict: 'forked', index: length };
  for (const { index, hash, parentHash } of blocks) {
    if (index !== nextIndex)
      throw new Error(`block ${index} of ${cursor.ledger} was told in the place of ${nextIndex}`);
    if (lastHash !== null && !isSameHash(lastHash, parentHash)) return { verdict: 'forked', index };
    [nextIndex, lastHash] = [index + 1n, hash];
  }
  const transfers = blocks.flatMap((block) => transferIn(cursor, block) ?? []);
  return { verdict: 'continues', read: { nextIndex, lastHash, transfers }, isWhole: nextIndex >= length };
}

/** The transfer of a block that names an intent by its memo; undefined for any other block. */
export function transferIn(
  { network, ledger }: Pick<LedgerCursor, 'network' | 'ledger'>,
  { index, timestampNs, transfer }: TokenBlock,
): IcrcTransfer | undefined {
  const intentCode = transfer === null ? undefined : intentCodeIn(transfer.memo);
  if (transfer === null || intentCode === undefined) return undefined;
  const { from, to, amountAtomic } = transfer;
  if (amountAtomic <= 0n || amountAtomic >= AMOUNT_END) return undefined;
  return { network, ledger, index, from, to, amountAtomic, intentCode, blockTimeMs: blockTimeMs(timestampNs) };
}

/** The end of the year 9999, the last time that is written as text. A ledger's clock may say anything. */
const LAST_TIME_MS = 253_402_300_799_999n;

export function blockTimeMs(timestampNs: bigint): number {
  const timeMs = timestampNs / 1_000_000n;
  return Number(timeMs < LAST_TIME_MS ? timeMs : LAST_TIME_MS);
}

export function isSameHash(one: Uint8Array, other: Uint8Array | null): boolean {
  return other !== null && one.length === other.length && one.every((byte, index) => byte === other[index]);
}
