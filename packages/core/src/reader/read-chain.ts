// One run of the chain reader: starts the cursors of new sources, then passes ranges of blocks until every source is read up
// to its ceiling, or the run has read enough. A range passes when two nodes show the same logs of the same blocks; with one
// node alone, when it shows the same in two runs and the blocks are final. A process that dies anywhere in here leaves
// cursors behind which everything is written.
import { heightOfMost } from '../finality/quorum.ts';
import { askAnswering, readAgreedBlocks } from './ask-nodes.ts';
import { findBlockBefore } from './find-block-before.ts';
import { type Ceilings, groupCursors, type SourceGroup } from './plan-range.ts';
import { createReadStep, type StepDeps, type StepLimits } from './read-step.ts';
import { type BlockRef, type ReaderChain, type ReaderNode, SOURCE_KINDS, type SourceKind } from './reader-chain.ts';
import type { OfferedSource, ReaderCursor } from './reader-store.ts';
import { createSettledHeight } from './settled-height.ts';

export type ReadLimits = StepLimits & {
  /** A run reads at most this many ranges. */
  readonly maxRanges: number;
  /** This many blocks below the head are not read yet: there nodes differ most. */
  readonly headDepth: number;
  /** Longest time from the verification of a claim until it is written. */
  readonly claimMs: number;
};

export type ReadDeps = StepDeps & {
  readonly metrics: {
    /** Blocks between the lowest cursor of a kind and the height up to which it is read. */
    readonly blocksBehind: (network: string, kind: SourceKind, blocks: number) => void;
  };
};

/** What a run saw, for the logs that are applied after it. */
export type ChainSight = {
  /** The nodes that answered. */
  readonly nodes: readonly ReaderNode[];
  /** The highest block that a quorum of nodes calls final. */
  readonly finalizedNumber: bigint;
  /** Every source is read up to this block; undefined without a source. */
  readonly lowestCursor: bigint | undefined;
};

type Sight = Omit<ChainSight, 'lowestCursor'>;

export function createReadChain(chain: ReaderChain, deps: ReadDeps, limits: ReadLimits): () => Promise<ChainSight> {
  const { network } = chain;
  const { clock, metrics } = deps;
  const reading = createReadStep(chain, deps, limits);
  const settledHeight = createSettledHeight(limits.claimMs);

  /** Returns the cursors as far as they came. */
  const readGroups = async (sight: Sight, loaded: readonly ReaderCursor[], ceilings: Ceilings) => {
    let { nodes } = sight;
    let cursors = loaded;
    let current = ceilings;
    const stopped = new Set<string>();
    const isOpen = ({ sources }: SourceGroup) => !sources.some(({ address }) => stopped.has(address));
    for (let spent = 0; ; ) {
      const open = groupCursors(cursors).filter(isOpen);
      if (open.length === 0) return cursors;
      for (const group of open) {
        if (spent >= limits.maxRanges) return cursors;
        spent += 1;
        const groups = groupCursors(cursors);
        const done = await reading.step({ ...sight, nodes, ceilings: current, groups }, group);
        if (done.step === 'reorg') return cursors;
        if (done.step === 'passed') cursors = cursors.map((cursor) => movedWith(group, cursor, done.end));
        if (done.step === 'stop') for (const { address } of group.sources) stopped.add(address);
        if (done.step === 'alone') {
          nodes = [done.node];
          current = finalOnly(current, sight.finalizedNumber);
        }
      }
    }
  };

  return async () => {
    const { nodes, headNumber, finalizedNumber } = await readHeights(await chain.nodes());
    const token = settledHeight.at(clock.nowMs(), finalizedNumber) ?? -1n;
    const sight = { nodes, finalizedNumber };
    const reached = { processor: headNumber - BigInt(limits.headDepth), token };
    const ceilings = nodes.length === 1 ? finalOnly(reached, finalizedNumber) : reached;
    const cursors = await startNewCursors(chain, deps, sight);
    reading.startRun(lowestOf(cursors));
    const reachedCursors = await readGroups(sight, cursors, ceilings);
    for (const kind of SOURCE_KINDS) {
      const lowest = lowestOf(reachedCursors.filter((cursor) => cursor.kind === kind));
      const behind = lowest === undefined ? 0n : ceilings[kind] - lowest;
      metrics.blocksBehind(network, kind, behind > 0n ? Number(behind) : 0);
    }
    return { ...sight, lowestCursor: lowestOf(reachedCursors) };
  };
}

/** Asks all nodes; those that do not answer take no part in the run. */
async function readHeights(all: readonly ReaderNode[]) {
  const answers = await askAnswering(all, (node) => node.readHeads());
  const heads = answers.map(({ answer }) => answer.head.number) as [bigint, ...bigint[]];
  const finalized = answers.map(({ answer }) => answer.finalized.number) as [bigint, ...bigint[]];
  return {
    nodes: answers.map(({ node }) => node),
    headNumber: heightOfMost(heads),
    finalizedNumber: heightOfMost(finalized),
  };
}

/**
 * A new token is read from the finalized head on: it is offered when it has a cursor. A processor may have been offered for
 * long before the reader knew it, and paid by `pay()`: it is read from the block of its first payout, or of the first batch.
 */
async function startNewCursors(
  { network }: ReaderChain,
  { reader, clock }: ReadDeps,
  { nodes, finalizedNumber }: Sight,
): Promise<readonly ReaderCursor[]> {
  const [sources, cursors] = [await reader.loadSources(network), await reader.loadCursors(network)];
  const known = new Set(cursors.map(({ address }) => address));
  const fresh = sources.filter(({ address }) => !known.has(address));
  if (fresh.length === 0) return cursors;
  const started: ReaderCursor[] = [];
  for (const source of fresh) {
    const number = await startOf(nodes, source, finalizedNumber);
    const [at] = number === undefined ? [] : await readAgreedBlocks(nodes, [number]);
    if (at !== undefined) started.push({ address: source.address, kind: source.kind, at });
  }
  await reader.startCursors(network, started, clock.nowMs());
  return reader.loadCursors(network);
}

/** Clocks of the database and of the chain differ by less. */
const CLOCKS_DIFFER_SECONDS = 600n;

/** The block after which the source is read; undefined when nodes do not say. */
async function startOf(
  nodes: readonly ReaderNode[],
  { firstBlock, offeredAtSeconds }: OfferedSource,
  finalizedNumber: bigint,
): Promise<bigint | undefined> {
  const beforeBatches = firstBlock === undefined ? finalizedNumber : lower(firstBlock - 1n, finalizedNumber);
  if (offeredAtSeconds === undefined) return beforeBatches;
  return findBlockBefore(nodes, offeredAtSeconds - CLOCKS_DIFFER_SECONDS, beforeBatches);
}

const lower = (one: bigint, other: bigint) => (one < other ? one : other);

const finalOnly = ({ processor, token }: Ceilings, finalizedNumber: bigint): Ceilings => ({
  processor: lower(processor, finalizedNumber),
  token,
});

function movedWith({ sources }: SourceGroup, cursor: ReaderCursor, at: BlockRef): ReaderCursor {
  return sources.some(({ address }) => address === cursor.address) ? { ...cursor, at } : cursor;
}

function lowestOf(cursors: readonly ReaderCursor[]): bigint | undefined {
  return cursors
    .map(({ at }) => at.number)
    .reduce<bigint | undefined>((one, other) => (one === undefined ? other : lower(one, other)), undefined);
}
