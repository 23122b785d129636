// A token ledger and the boundaries in front of it. Each answer carries a certificate: that the ledger gave it, and to which
// call. A boundary can't make one up; whether it is looked at is the adapter's matter.
import type { TokenBlock, TokenTransfer, ToldBlocks } from '@svc-pay/core';
import { sampleTokenLedger } from '@svc-pay/core/testing';
import type { NetworkId } from '@svc-pay/protocol';

export type BoundaryMood =
  | 'well'
  /** Calls never end. */
  | 'silent'
  /** Calls fail at once. */
  | 'unreachable'
  /** Answers are some seconds old when they arrive. */
  | 'slow'
  /** Blocks that the ledger does not have pay open intents. */
  | 'forges'
  /** The answers to earlier calls come again. */
  | 'replays';

export type BlocksCall = { readonly nonce: string; readonly start: bigint; readonly count: number };

export type CertifiedAnswer = {
  readonly told: ToldBlocks;
  readonly certificate: { readonly isSigned: boolean; readonly nonce: string };
};

export type Boundary = {
  readonly name: string;
  readonly mood: () => BoundaryMood;
  readonly setMood: (mood: BoundaryMood) => void;
  readonly answer: (call: BlocksCall) => CertifiedAnswer;
};

export type SimulatedTokenLedger = {
  readonly ledger: string;
  readonly blocks: readonly TokenBlock[];
  /** Returns the index of the new block. */
  readonly add: (transfer: TokenTransfer | null, atMs: number) => bigint;
  /** It is installed anew, with more blocks than before, of which the last are these transfers. */
  readonly becomeAnother: (transfers: readonly TokenTransfer[], atMs: number) => void;
};

/** The ledger tells so many blocks at a time. */
const TOLD_AT_ONCE = 4;

/** Blocks that another ledger has beyond those of the one before it. */
const MORE_BLOCKS = 5;

export function createTokenLedger(network: NetworkId): SimulatedTokenLedger {
  const { ledger, blocks, add } = sampleTokenLedger(network);
  return {
    ledger,
    blocks,
    add,
    becomeAnother: (transfers, atMs) => {
      const length = blocks.length + MORE_BLOCKS;
      blocks.splice(0);
      while (blocks.length < length) add(null, atMs);
      for (const transfer of transfers) add(transfer, atMs);
    },
  };
}

/** `forge` makes up transfers that pay open intents. */
export function createBoundary(
  name: string,
  { blocks }: SimulatedTokenLedger,
  forge: () => readonly { readonly transfer: TokenTransfer; readonly atMs: number }[],
): Boundary {
  let mood: BoundaryMood = 'well';
  const earlier: CertifiedAnswer[] = [];
  const tell = (all: readonly TokenBlock[], { start, count }: BlocksCall): ToldBlocks => ({
    length: BigInt(all.length),
    blocks: all.slice(Number(start), Number(start) + Math.min(count, TOLD_AT_ONCE)),
  });
  return {
    name,
    mood: () => mood,
    setMood: (next) => {
      mood = next;
    },
    answer: (call) => {
      if (mood === 'forges') {
        const copy = sampleTokenLedger('icp:local' as NetworkId);
        copy.blocks.push(...blocks);
        for (const { transfer, atMs } of forge()) copy.add(transfer, atMs);
        return { told: tell(copy.blocks, call), certificate: { isSigned: false, nonce: call.nonce } };
      }
      const [old] = earlier;
      if (mood === 'replays' && old !== undefined) return old;
      const answer = { told: tell(blocks, call), certificate: { isSigned: true, nonce: call.nonce } };
      earlier.push(answer);
      if (earlier.length > 12) earlier.shift();
      return answer;
    },
  };
}
