// The chain reader of a network: reads money logs up to the head and applies those of final blocks.
import type { NetworkId } from '@svc-pay/protocol';
import { jobName, type PeriodicJob } from '../watch/periodic-job.ts';
import { type ApplyDeps, type ApplyLimits, createApplyLogs } from './apply-logs.ts';
import { type ChainSight, createReadChain, type ReadDeps, type ReadLimits } from './read-chain.ts';
import type { ReaderChain } from './reader-chain.ts';

export type ReaderDeps = ReadDeps & ApplyDeps;
export type ReaderLimits = ReadLimits & ApplyLimits & { readonly everyMs: number };

export const READER_LIMITS: ReaderLimits = {
  everyMs: 10_000,
  firstRange: 100,
  maxRange: 10_000,
  manyLogs: 5_000,
  maxRanges: 20,
  headDepth: 1,
  claimMs: 60_000,
  pageSize: 200,
  maxPages: 20,
  laneMs: 600_000,
};

/** Name of the job that reads a network. */
export const readerJob = (network: NetworkId): string => jobName('reader', network);

export function createChainReader(
  chain: ReaderChain,
  deps: ReaderDeps,
  limits: ReaderLimits = READER_LIMITS,
): PeriodicJob {
  const { network } = chain;
  const { reader } = deps;
  const readChain = createReadChain(chain, deps, limits);
  const applyLogs = createApplyLogs(chain, deps, limits);
  let forgotten = -1n;
  /** A block is needed as long as a source is not read up to it, or a log above it is not applied. */
  const forgetBlocks = async ({ finalizedNumber, lowestCursor = finalizedNumber }: ChainSight) => {
    const [oldest] = await reader.loadUnapplied(network, finalizedNumber, undefined, 1);
    const final = lowestCursor < finalizedNumber ? lowestCursor : finalizedNumber;
    const number =
      oldest !== undefined && oldest.position.blockNumber <= final ? oldest.position.blockNumber - 1n : final;
    if (number === forgotten) return;
    await reader.forgetBlocks(network, number);
    forgotten = number;
  };
  return {
    name: readerJob(network),
    everyMs: limits.everyMs,
    run: async () => {
      const sight = await readChain();
      await applyLogs(sight);
      await forgetBlocks(sight);
    },
  };
}
