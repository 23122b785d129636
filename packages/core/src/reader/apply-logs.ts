// Applies read logs of final blocks. Nothing that is applied is ever reversed, so a log is applied only when a quorum of nodes
// still has its block and, where its receipt counts, shows the same receipt. A log that fails, or that nodes do not agree on,
// waits for a later run and holds up no other.
import { forEachIsolated, noteFailures } from '../watch/note-failures.ts';
import { readIsolated } from '../watch/read-isolated.ts';
import { createWalk } from '../watch/walk-pages.ts';
import { agreeOnEvidence } from './agree-on-evidence.ts';
import type { AppliedLog, ApplyStore, FinalLog } from './apply-store.ts';
import { askAnswering, type NodeAnswer, readAgreedBlocks } from './ask-nodes.ts';
import {
  type AuthorizationLog,
  type MoneyLog,
  type ProcessorLog,
  type ReceivedEvidence,
  type UseEvidence,
} from './money-log.ts';
import type { ChainSight } from './read-chain.ts';
import type { BlockRef, ReaderChain, ReaderNode } from './reader-chain.ts';
import { type RewindDeps, rewindToFork } from './rewind-to-fork.ts';

export type ApplyLimits = {
  readonly pageSize: number;
  readonly maxPages: number;
  /** A log that waits for its lane, or for nodes to agree on its receipt, longer than this is told. */
  readonly laneMs: number;
};

export type ApplyDeps = RewindDeps & {
  readonly apply: ApplyStore;
  readonly metrics: { readonly logApplied: (network: string, outcome: AppliedLog['outcome']) => void };
};

export function createApplyLogs(
  chain: ReaderChain,
  deps: ApplyDeps,
  { pageSize, maxPages, laneMs }: ApplyLimits,
): (sight: ChainSight) => Promise<void> {
  const { network } = chain;
  const { reader, apply, clock, log, metrics } = deps;
  const note = noteFailures(network, 'reader', deps);
  const onFailure = (read: MoneyLog, problem: unknown) => note(detailsOf(read), problem);
  let finalizedNumber = 0n;
  const walk = createWalk<MoneyLog>({
    load: (after, limit) => reader.loadUnapplied(network, finalizedNumber, after, limit),
    pageSize,
    maxPages,
  });

  /** True if the log waits. */
  const applyOne = async (final: FinalLog): Promise<boolean> => {
    const applied = await apply.applyLog(network, final, clock.nowMs());
    metrics.logApplied(network, applied.outcome);
    tell(log, network, final.log, applied);
    return applied.outcome === 'waits';
  };

  const tellLate = async (waiting: readonly MoneyLog[]) => {
    if (waiting.length === 0) return;
    const nowMs = clock.nowMs();
    const since = await reader.noteWaiting(network, waiting, nowMs);
    for (const [index, read] of waiting.entries())
      if (nowMs - (since[index] ?? nowMs) >= laneMs) log('read_log_unrecorded', { network, ...detailsOf(read) });
  };

  const applyPage = async (nodes: readonly ReaderNode[], page: readonly MoneyLog[]) => {
    const blocks = await readBlocksOf(nodes, page);
    const gone = page.find((read) => isGone(read, blocks));
    const final = page.filter((read) => blocks.get(read.position.blockNumber)?.hash === read.position.blockHash);
    // If it fails, each log is applied by itself: those that were recorded change nothing.
    const open: readonly MoneyLog[] = await apply.dropRecorded(network, final).catch((problem: unknown) => {
      note({ logs: final.length }, problem);
      return final;
    });
    const uses = await readIsolated(open.filter(isUse), (some) => readUses(nodes, some), onFailure);
    const received = await readIsolated(open.filter(isReceived), (some) => readReceived(nodes, some), onFailure);
    const waiting: MoneyLog[] = [];
    await forEachIsolated(
      open,
      async (read) => {
        const blockTimeSeconds = blocks.get(read.position.blockNumber)?.timeSeconds;
        const use = isUse(read) ? uses.get(read) : undefined;
        const receipt = isReceived(read) ? received.get(read) : undefined;
        // Nodes contradict each other, or too few have the receipt.
        const isUnknown = (isUse(read) && !use) || (isReceived(read) && !receipt);
        const final = { log: read, transfer: use?.transfer, received: receipt?.legs };
        if (blockTimeSeconds === undefined || isUnknown || (await applyOne({ ...final, blockTimeSeconds })))
          waiting.push(read);
      },
      onFailure,
    );
    await tellLate(waiting).catch((problem: unknown) => note({ logs: waiting.length }, problem));
    if (gone === undefined) return;
    // The block was never final under this hash: what was read with it is read again.
    log('read_log_block_gone', { network, ...detailsOf(gone) });
    await rewindToFork(chain, deps, nodes, gone.position.blockNumber);
  };

  return async (sight) => {
    finalizedNumber = sight.finalizedNumber;
    await walk((page) => applyPage(sight.nodes, page));
  };
}

/** The final blocks of these logs that a quorum has, by number. */
async function readBlocksOf(
  nodes: readonly ReaderNode[],
  page: readonly MoneyLog[],
): Promise<ReadonlyMap<bigint, BlockRef>> {
  const numbers = [...new Set(page.map(({ position }) => position.blockNumber))];
  const blocks = await readAgreedBlocks(nodes, numbers);
  return new Map(blocks.flatMap((block) => (block === undefined ? [] : [[block.number, block]])));
}

function isGone({ position }: MoneyLog, blocks: ReadonlyMap<bigint, BlockRef>): boolean {
  const block = blocks.get(position.blockNumber);
  return block !== undefined && block.hash !== position.blockHash;
}

const isUse = (log: MoneyLog): log is AuthorizationLog => log.event === 'authorization_used';
const isReceived = (log: MoneyLog): log is ProcessorLog => log.event === 'payment_received';

async function readUses(
  nodes: readonly ReaderNode[],
  uses: readonly AuthorizationLog[],
): Promise<readonly (UseEvidence | undefined)[]> {
  const answers = await askAnswering(nodes, (node) => node.readEvidence(uses));
  return uses.map((use, index) => agreeOnEvidence(use, at(answers, index)));
}

async function readReceived(
  nodes: readonly ReaderNode[],
  logs: readonly ProcessorLog[],
): Promise<readonly (ReceivedEvidence | undefined)[]> {
  const answers = await askAnswering(nodes, (node) => node.readReceived(logs));
  return logs.map((log, index) => agreeOnEvidence(log, at(answers, index)));
}

/** What each node answered about one log. */
function at<View>(answers: readonly NodeAnswer<readonly View[]>[], index: number): readonly (View | undefined)[] {
  return answers.map(({ answer }) => answer[index]);
}

function tell(log: ApplyDeps['log'], network: string, read: MoneyLog, applied: AppliedLog): void {
  const { outcome, ...ids } = applied;
  const details = { network, ...detailsOf(read), ...ids };
  if (outcome === 'completed') log('read_log_completed_payment', details);
  if (outcome === 'failed') log('read_log_failed_payment', details);
  if (outcome === 'mismatched') log('read_log_mismatched', details);
  if (outcome === 'held') log('read_log_held', details);
  if (outcome === 'differs') log('read_log_differs', details);
  if (outcome === 'unattributed') log('receipt_unattributed', details);
}

function detailsOf({ event, address, position }: MoneyLog) {
  const { transactionId, logIndex, blockNumber } = position;
  return { source: address, logEvent: event, transactionId, logIndex, blockNumber: blockNumber.toString() };
}
