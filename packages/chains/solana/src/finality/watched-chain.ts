// A Solana network as core's watchers ask it.
import {
  type AuthorizationReader,
  createReferenceReader,
  jobName,
  type PeriodicJob,
  type ReferenceDeps,
  type WatchedChain,
} from '@svc-pay/core';
import { createReferenceChain } from '../reference/reference-chain.ts';
import { findRefundOutcomes } from '../refund/find-refund-outcomes.ts';
import type { OpenSolana } from '../rpc/open-networks.ts';
import { createRentCollector, type RentDeps } from './collect-rent.ts';
import { finalizedSlot } from './find-batches.ts';
import { solanaFitness } from './fitness.ts';
import { judgeHeld } from './judge-held.ts';
import { judgeBatches, judgeSlots } from './judge-recorded.ts';

const LIMITS: WatchedChain['limits'] = {
  // As many as one call for statuses takes. A transaction in another slot is found when the recorded slot is final.
  finality: { everyMs: 1_000, pageSize: 256, maxPages: 20, newest: 0 },
  held: { everyMs: 10_000, pageSize: 100, maxPages: 20 },
  authorizations: { everyMs: 10_000, pageSize: 500, expiredPages: 0, validPages: 20, tracedAtOnce: 100 },
  refunds: { everyMs: 5_000, pageSize: 100, maxPages: 5 },
};

/** Only a relayer can submit what a payer signed, so no authorization is read from the chain and none ends by time. */
const READER: AuthorizationReader = {
  finalizedTimeSeconds: 0n,
  readStates: async (authorizations) => authorizations.map(() => 'open'),
  traceOutcomes: async (traced) => traced.map(() => undefined),
};

const PREPARED_EVERY_MS = 10_000;
/** A prepared transaction is valid for some minutes at most. */
const PREPARED_KEPT_MS = 3_600_000;

export type SolanaWatchDeps = RentDeps &
  ReferenceDeps & {
    /** The id of this installation, from which reference keys are derived. */
    readonly installation: () => Promise<string>;
    /** A relayer whose balance pays for fewer transactions than this is reported. */
    readonly lowTransactions: bigint;
    /** Deletes transactions that were prepared for wallets before `beforeMs`. */
    readonly dropOldPrepared: (beforeMs: number) => Promise<void>;
  };

export function openWatchedSolana(open: OpenSolana, deps: SolanaWatchDeps): WatchedChain {
  const { network, nodes, gasCoin } = open;
  return {
    network,
    gasCoin,
    limits: LIMITS,
    readFinalizedNumber: () => finalizedSlot(nodes),
    judgeBlocks: (batches) => judgeSlots(nodes, batches),
    judgeBatches: (batches) => judgeBatches(nodes, batches),
    readHeld: async () => ({ judge: (payments) => judgeHeld(nodes, payments) }),
    readAuthorizations: async () => READER,
    findRefundOutcomes: (refunds, nowMs) => findRefundOutcomes(nodes, refunds, nowMs),
    readFitness: solanaFitness(open, deps.lowTransactions),
    extraJobs: [
      createRentCollector(open, deps),
      createPreparedExpiry(open, deps),
      createReferenceReader(createReferenceChain(nodes, network, deps.installation), deps),
    ],
  };
}

function createPreparedExpiry(
  { network }: OpenSolana,
  { clock, dropOldPrepared }: Pick<SolanaWatchDeps, 'clock' | 'dropOldPrepared'>,
): PeriodicJob {
  return {
    name: jobName('prepared', network),
    everyMs: PREPARED_EVERY_MS,
    run: () => dropOldPrepared(clock.nowMs() - PREPARED_KEPT_MS),
  };
}
