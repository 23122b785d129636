// All watchers of the EVM networks of a settlement process. They write their findings to the database; lanes act on
// them.
import type { PayoutRegistryStore, PeriodicJob, ReadFitness, WatchDeps } from '@svc-pay/core';
import type { OpenNetwork } from '../send/open-networks.ts';
import { evmFitness } from './fitness.ts';
import { createRegistryMirror } from './mirror-registry.ts';
import { createAuthorizationWatch } from './watch-authorizations.ts';
import { createFinalityWatch } from './watch-finality.ts';
import { createHeldWatch } from './watch-held.ts';

export type EvmWatchDeps = WatchDeps & {
  readonly payouts: PayoutRegistryStore;
  /** A relayer whose balance pays for fewer full transactions than this is reported. */
  readonly lowTransactions: bigint;
  readonly watchHealth: (network: OpenNetwork['network'], readFitness: ReadFitness) => PeriodicJob;
};

export function createEvmWatchers(networks: readonly OpenNetwork[], deps: EvmWatchDeps): readonly PeriodicJob[] {
  return networks.flatMap((open) => [
    createFinalityWatch(open, deps),
    createHeldWatch(open, deps),
    createAuthorizationWatch(open, deps),
    createRegistryMirror(open, deps),
    deps.watchHealth(open.network, evmFitness(open, deps.lowTransactions, deps)),
  ]);
}
