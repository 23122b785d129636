// Port to the token ledgers of one network. What it answers is certified: a node can keep an answer back, but not make one up,
// so that one answer is enough. Calls throw `ChainUnavailable` when no node gives a certified answer.
import type { NetworkId } from '@svc-pay/protocol';
import type { IcrcAccount } from '@svc-pay/protocol/icp';
import type { TokenBlock } from './token-block.ts';

export type LedgerFacts = {
  readonly symbol: string;
  readonly decimals: number;
  /** What the sender pays for a transfer, beside its amount. */
  readonly feeAtomic: bigint;
  /** Transfers to it burn tokens; null where the ledger names none. */
  readonly mintingAccount: IcrcAccount | null;
};

export type ToldBlocks = {
  /** Number of blocks of the ledger. */
  readonly length: bigint;
  /**
   * Without a gap; fewer than asked for where the ledger tells fewer at a time, none past its end. The hash of each is computed
   * from the block.
   */
  readonly blocks: readonly TokenBlock[];
};

export type BlocksAt = Pick<ToldBlocks, 'length'> & {
  /** By index. A ledger may tell fewer than it was asked for. */
  readonly blocks: ReadonlyMap<bigint, TokenBlock>;
};

export type IcrcChain = {
  readonly network: NetworkId;
  /** Canister ids of the token ledgers that are read. */
  readonly ledgers: readonly string[];
  readonly facts: (ledger: string) => Promise<LedgerFacts>;
  /** Blocks from `start` on, at most `count`. */
  readonly blocks: (ledger: string, start: bigint, count: number) => Promise<ToldBlocks>;
  /** Blocks wherever they are, in one answer. */
  readonly blocksAt: (ledger: string, indexes: readonly bigint[]) => Promise<BlocksAt>;
};
