// An EVM network as core's watchers ask it.
import type { PayoutRegistryStore, WatchBase, WatchedChain } from '@svc-pay/core';
import { findRefundOutcomes } from '../refund/find-refund-outcomes.ts';
import type { OpenNetwork } from '../send/open-networks.ts';
import { evmFitness } from './fitness.ts';
import { judgeBatches, judgeBlocks, readFinalizedNumber } from './judge-recorded.ts';
import { createRegistryMirror } from './mirror-registry.ts';
import { readAuthorizations } from './read-authorizations.ts';
import { readHeld } from './read-held.ts';

const LIMITS: WatchedChain['limits'] = {
  // Every run checks the newest non-final batches: a reorg starts at the newest block.
  finality: { everyMs: 1_000, pageSize: 50, maxPages: 20, newest: 200 },
  held: { everyMs: 1_000, pageSize: 100, maxPages: 20 },
  // One run closes at most 50,000 expired authorizations and checks 1,000 that are still valid. With more valid ones, a
  // third party's submission is found some runs later; every authorization is checked once more when it expires.
  authorizations: { everyMs: 2_000, pageSize: 500, expiredPages: 100, validPages: 2, tracedAtOnce: 100 },
  refunds: { everyMs: 2_000, pageSize: 100, maxPages: 10 },
};

export type WatchedEvm = Pick<OpenNetwork, 'network' | 'voters' | 'gasCoin'>;

/** `voters` are single endpoints: each answers all questions of its node view. */
export function createEvmWatchedChain(
  { network, voters, gasCoin }: WatchedEvm,
  { readFitness, extraJobs }: Pick<WatchedChain, 'readFitness' | 'extraJobs'>,
): WatchedChain {
  return {
    network,
    gasCoin,
    limits: LIMITS,
    readFinalizedNumber: async () => readFinalizedNumber(await voters()),
    judgeBlocks: async (batches) => judgeBlocks(await voters(), batches),
    judgeBatches: async (batches) => judgeBatches(await voters(), batches),
    readHeld: async () => readHeld(await voters()),
    readAuthorizations: async () => readAuthorizations(await voters()),
    findRefundOutcomes: async (refunds, nowMs) => findRefundOutcomes(await voters(), refunds, nowMs),
    readFitness,
    extraJobs,
  };
}

export type EvmWatchDeps = WatchBase & {
  readonly payouts: PayoutRegistryStore;
  /** A relayer whose balance pays for fewer full transactions than this is reported. */
  readonly lowTransactions: bigint;
};

/** With the reads of the relayers' fitness, and the job that mirrors the payout registry. */
export function openWatchedEvm(open: OpenNetwork, deps: EvmWatchDeps): WatchedChain {
  return createEvmWatchedChain(open, {
    readFitness: evmFitness(open, deps.lowTransactions, deps),
    extraJobs: [createRegistryMirror(open, deps)],
  });
}
