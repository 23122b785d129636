// Deps of all watchers of a network, besides its chain.
import type { StrandedStore } from '../stranded/stranded-store.ts';
import type { WatchBase } from '../watch/watch-log.ts';
import type { FinalityStore } from './finality-store.ts';

export type WatchDeps = WatchBase & {
  readonly finality: FinalityStore;
  readonly stranded: StrandedStore;
  readonly metrics: {
    /** A reorg put a batch into another block, with the same outcome. */
    readonly batchMoved: (network: string) => void;
    /** A reorg reversed a batch: its completed payments are pending again. */
    readonly batchReversed: (network: string) => void;
  };
};
