// Whether a token ledger may be read anew from its beginning: only where it was installed anew, and where no money is lost by it.
import { ChainUnavailable } from '../lane/lane-chain.ts';
import type { IcrcChain } from './icrc-chain.ts';
import type { LedgerCursor } from './icrc-store.ts';
import { isSameHash } from './judge-blocks.ts';

/** What a ledger says of the last block that was read of it. */
export type LedgerContinuation = {
  readonly continues: boolean;
  /** Number of its blocks now. */
  readonly length: bigint;
};

export type ResetFacts = LedgerContinuation & {
  /** Transfers that are kept and not applied. */
  readonly waiting: number;
  /** The highest index of a block that counts for a payment, a refund or an unattributed receipt. */
  readonly highestCounted: bigint | null;
};

export type ResetRefusal =
  /** The ledger is the one that was read. */
  | { readonly code: 'ledger_continues' }
  | { readonly code: 'transfers_wait'; readonly waiting: number }
  /** New payments would get the names of blocks that count already, and would be taken for these. */
  | { readonly code: 'ledger_too_short'; readonly length: bigint; readonly highestCounted: bigint };

export function refuseLedgerReset(facts: ResetFacts): ResetRefusal | undefined {
  const { continues, length, waiting, highestCounted } = facts;
  if (continues) return { code: 'ledger_continues' };
  if (waiting > 0) return { code: 'transfers_wait', waiting };
  if (highestCounted !== null && length <= highestCounted) return { code: 'ledger_too_short', length, highestCounted };
  return undefined;
}

/** Asks the ledger for the last block that was read. Throws `ChainUnavailable` when it does not tell it. */
export async function readContinuation(
  chain: Pick<IcrcChain, 'blocks'>,
  { ledger, nextIndex, lastHash }: Pick<LedgerCursor, 'ledger' | 'nextIndex' | 'lastHash'>,
): Promise<LedgerContinuation> {
  const last = nextIndex === 0n ? 0n : nextIndex - 1n;
  const { length, blocks } = await chain.blocks(ledger, last, 1);
  if (length < nextIndex) return { continues: false, length };
  if (lastHash === null) return { continues: true, length };
  const [block] = blocks;
  if (block === undefined) throw new ChainUnavailable(`${ledger} has block ${last} and does not tell it`);
  return { continues: isSameHash(lastHash, block.hash), length };
}
