// All watchers of the Solana networks of a settlement process. They write what they find to the database, and lanes act
// on it. They sign nothing except the refund of rent that a relayer lent.
import type { PeriodicJob, ReadFitness, WatchDeps } from '@svc-pay/core';
import type { OpenSolana } from '../rpc/open-networks.ts';
import { createSolanaHousekeeping, type HousekeepingDeps } from './close-authorizations.ts';
import { solanaFitness } from './fitness.ts';
import { createSolanaFinality } from './watch-finality.ts';
import { createSolanaHeldWatch } from './watch-held.ts';

export type SolanaWatchDeps = WatchDeps &
  HousekeepingDeps & {
    /** A relayer whose balance pays for fewer transactions than this is reported. */
    readonly lowTransactions: bigint;
    readonly watchHealth: (network: OpenSolana['network'], readFitness: ReadFitness) => PeriodicJob;
  };

export function createSolanaWatchers(networks: readonly OpenSolana[], deps: SolanaWatchDeps): readonly PeriodicJob[] {
  return networks.flatMap((open) => [
    createSolanaFinality(open, deps),
    createSolanaHeldWatch(open, deps),
    createSolanaHousekeeping(open, deps),
    deps.watchHealth(open.network, solanaFitness(open, deps.lowTransactions)),
  ]);
}
