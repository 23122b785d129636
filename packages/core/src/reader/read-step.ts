// Reads one range of blocks for a group of sources, and passes it if nodes agree on it.
import { createFirstReadings } from './first-readings.ts';
import { type Ceilings, nextSize, planRange, type RangeLimits, type SourceGroup } from './plan-range.ts';
import { type RangeVerdict, readRange } from './read-range.ts';
import type { BlockRef, ReaderChain, ReaderNode, SourceKind } from './reader-chain.ts';
import { type RewindDeps, rewindToFork } from './rewind-to-fork.ts';

export type StepLimits = RangeLimits & {
  /** Blocks of the first range after a start. */
  readonly firstRange: number;
};

export type StepDeps = RewindDeps & {
  readonly metrics: {
    /** Cursors passed so many blocks with so many logs, `own` of them kept. */
    readonly blocksPassed: (network: string, kind: SourceKind, blocks: number, logs: number, own: number) => void;
  };
};

type StepResult =
  | { readonly step: 'passed'; readonly end: BlockRef }
  /** The next step may go on. `read`: one node alone gave a first reading. `smaller`: the range was too large. */
  | { readonly step: 'read' | 'smaller' }
  /** Of several nodes only this one gives logs: the rules of a single node apply. */
  | { readonly step: 'alone'; readonly node: ReaderNode }
  /** Nothing more to read for these sources in this run. */
  | { readonly step: 'stop' }
  /** Cursors were set back, or the fork was not found: the run ends. */
  | { readonly step: 'reorg' };

type StepContext = {
  /** The nodes that answer; with one alone, ranges are final. */
  readonly nodes: readonly ReaderNode[];
  readonly finalizedNumber: bigint;
  readonly ceilings: Ceilings;
  readonly groups: readonly SourceGroup[];
};

export type ReadStep = {
  readonly startRun: (lowestCursor: bigint | undefined) => void;
  readonly step: (context: StepContext, group: SourceGroup) => Promise<StepResult>;
};

export function createReadStep(chain: ReaderChain, deps: StepDeps, limits: StepLimits): ReadStep {
  const { network } = chain;
  const { reader, clock, log, metrics } = deps;
  const sizes = new Map<SourceKind, number>();
  const readings = createFirstReadings();
  let run = 0;

  const refused = async (
    nodes: readonly ReaderNode[],
    { at, kind }: SourceGroup,
    verdict: Exclude<RangeVerdict['verdict'], 'agreed'>,
    { from, to }: { readonly from: bigint; readonly to: bigint },
  ): Promise<StepResult> => {
    const range = { network, fromBlock: from.toString(), toBlock: to.toString() };
    const blocks = Number(to - from) + 1;
    if (verdict === 'too_large') {
      sizes.set(kind, nextSize(blocks, 'too_large', limits));
      if (blocks > 1) return { step: 'smaller' };
      log('reader_block_too_large', range);
    }
    if (verdict === 'contradicted') log('rpc_endpoints_contradict_logs', range);
    if (verdict !== 'reorg') return { step: 'stop' };
    await rewindToFork(chain, deps, nodes, at.number);
    return { step: 'reorg' };
  };

  return {
    startRun: (lowestCursor) => {
      run += 1;
      if (lowestCursor !== undefined) readings.dropBelow(lowestCursor);
    },
    step: async ({ nodes, finalizedNumber, ceilings, groups }, group) => {
      const { kind, sources, at } = group;
      const isAlone = nodes.length === 1;
      const key = sources.map(({ address }) => address).join(' ');
      const kept = isAlone ? readings.startingAt(key, at) : undefined;
      // What an earlier run read is read again as it was; otherwise the first blocks that were not read yet.
      const first = kept !== undefined && kept.run < run ? kept : undefined;
      const from = isAlone && first === undefined ? readings.lastAfter(key, at) : at;
      const size = sizes.get(kind) ?? limits.firstRange;
      const to = first?.end.number ?? planRange({ kind, at: from }, groups, ceilings, size)?.to;
      if (to === undefined) return { step: 'stop' };
      const isFinal = to <= finalizedNumber;
      const read = await readRange(nodes, { from, to, sources, isFinal });
      if (read.verdict !== 'agreed') {
        // A range that was read once and is too large now would be asked for for ever.
        readings.drop(key, from);
        return refused(nodes, group, read.verdict, { from: from.number + 1n, to });
      }
      sizes.set(kind, nextSize(size, read.logs.length, limits));
      if (read.alone !== undefined) {
        if (!isAlone || !isFinal) return { step: 'alone', node: read.alone };
        if (first === undefined || first.digest !== read.digest) {
          readings.keep({ sources: key, from, end: read.end, digest: read.digest, run });
          return { step: first === undefined ? 'read' : 'stop' };
        }
      }
      const own = await reader.selectOwn(network, read.logs);
      const pass = { network, sources, from, to: read.end, logs: own, nowMs: clock.nowMs() };
      // Another process reads the same sources: it goes on.
      if (!(await reader.passBlocks(pass))) return { step: 'stop' };
      metrics.blocksPassed(network, kind, Number(read.end.number - from.number), read.logs.length, own.length);
      return { step: 'passed', end: read.end };
    },
  };
}
