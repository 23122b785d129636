// Where a reorg began: the newest block that was passed and that the chain still has. All blocks up to it are read.
import type { BlockRef } from './reader-chain.ts';

/**
 * `passed` is newest first; `onChain` has the block of the same number that a quorum of nodes has. Undefined when the chain
 * has none of them.
 */
export function findFork(
  passed: readonly BlockRef[],
  onChain: readonly (BlockRef | undefined)[],
): BlockRef | undefined {
  return passed.find((block, index) => {
    const found = onChain[index];
    return found !== undefined && found.number === block.number && found.hash === block.hash;
  });
}
