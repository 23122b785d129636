// After a reorg the reader goes back to the newest block that it passed and that the chain still has, and reads again from
// there. Logs that were applied are of final blocks: reading them again changes nothing.
import type { WatchBase } from '../watch/watch-log.ts';
import { readAgreedBlocks } from './ask-nodes.ts';
import { findFork } from './find-fork.ts';
import type { BlockRef, ReaderChain, ReaderNode } from './reader-chain.ts';
import type { ReaderStore } from './reader-store.ts';

export type RewindDeps = WatchBase & {
  readonly reader: ReaderStore;
  readonly metrics: { readonly rewound: (network: string) => void };
};

const BLOCKS_AT_ONCE = 50;

/** Goes back below `gone`, a block that was passed and that the chain no longer has. */
export async function rewindToFork(
  { network }: Pick<ReaderChain, 'network'>,
  { reader, clock, log, metrics }: RewindDeps,
  nodes: readonly ReaderNode[],
  gone: bigint,
): Promise<void> {
  let below = gone;
  for (;;) {
    const passed: readonly BlockRef[] = await reader.loadPassedBlocks(network, below - 1n, BLOCKS_AT_ONCE);
    const oldest = passed.at(-1);
    if (oldest === undefined) {
      // Finality itself did not hold, or what was read was never true: where to go back to is for a person to say.
      log('reader_fork_not_found', { network, blockNumber: gone.toString() });
      return;
    }
    const numbers = passed.map(({ number }) => number);
    const fork = findFork(passed, await readAgreedBlocks(nodes, numbers));
    if (fork !== undefined) {
      await reader.rewind(network, fork, clock.nowMs());
      metrics.rewound(network);
      log('reader_rewound', { network, blockNumber: gone.toString(), toBlock: fork.number.toString() });
      return;
    }
    below = oldest.number;
  }
}
