// Watches mined batches until their block is final. After a reorg a batch is recorded in its new block, or its payments
// are reversed and the batch is pending again. An item that did not settle fails only in a final block. While nodes
// contradict each other nothing changes: the batch waits.
import { BATCH_STATUS } from '../lane/batch-transitions.ts';
import { mapConcurrent } from '../lane/map-concurrent.ts';
import { type NoteFailure, noteFailures } from '../watch/note-failures.ts';
import { jobName, type PeriodicJob } from '../watch/periodic-job.ts';
import { readIsolated, readOrEach } from '../watch/read-isolated.ts';
import { createWalk } from '../watch/walk-pages.ts';
import {
  type BatchDecision,
  type BatchSearch,
  decideOnBlock,
  decideOnOpenItems,
  decideOnRecorded,
} from './decide-on-verdict.ts';
import type { AgeingBatch, BatchBlock, RecordedBatch } from './finality-store.ts';
import type { BatchVerdict } from './judge-batch-block.ts';
import type { WatchDeps } from './watch-deps.ts';
import type { BatchToFind, FinalityChain } from './watched-chain.ts';

const LOADED_AT_ONCE = 4;

export type FinalityDeps = Pick<WatchDeps, 'finality' | 'clock' | 'log' | 'metrics' | 'countFailure'>;

export function createFinalityWatch(chain: FinalityChain, deps: FinalityDeps): PeriodicJob {
  const { network, limits } = chain;
  const { everyMs, pageSize, maxPages, newest } = limits.finality;
  const { finality } = deps;
  const onFailure = noteFailures(network, 'finality', deps);
  let finalizedNumber = 0n;
  const walk = createWalk<AgeingBatch>({
    load: (after, limit) => finality.loadAgeingBatches(network, finalizedNumber, limit, after?.id),
    pageSize,
    maxPages,
  });
  return {
    name: jobName('finality', network),
    everyMs,
    run: async () => {
      finalizedNumber = await chain.readFinalizedNumber();
      const young = newest === 0 ? [] : await finality.loadBatchBlocks(network, finalizedNumber, newest);
      try {
        await walk((ageing) => judgePage(chain, deps, ageing, onFailure));
      } finally {
        // Youngest last, so that payments are reversed and sent again in the order of their nonces.
        await judgePage(chain, deps, young.toReversed(), onFailure);
      }
    },
  };
}

type Row = BatchBlock | AgeingBatch;

/** A batch that cannot be judged, or whose change fails, does not stop the others. */
async function judgePage(
  chain: FinalityChain,
  deps: FinalityDeps,
  page: readonly Row[],
  onFailure: NoteFailure,
): Promise<void> {
  if (page.length === 0) return;
  const verdicts = await chain.judgeBlocks(page);
  const byBlock = page.map((row, index) => ({ row, decided: decideOnBlock(row, verdicts[index] ?? 'unknown') }));
  const contradicted: string[] = [];
  const actOn = async (row: Row, decide: () => BatchDecision, recorded?: RecordedBatch) => {
    try {
      const decision = decide();
      if (decision.action === 'report') contradicted.push(row.id);
      else await act(chain, deps, row, decision, recorded);
    } catch (problem) {
      onFailure(idsOf(row), problem);
    }
  };
  // Before the search: it may take long, or fail.
  const finished = await finishSettled(deps, byBlock, onFailure);
  for (const { row, decided } of byBlock)
    if (!isSearch(decided) && !finished.has(row.id)) await actOn(row, () => decided);
  for (const { row, decide, recorded } of await searchBatches(chain, deps, byBlock, onFailure))
    await actOn(row, decide, recorded);
  if (contradicted.length > 0) {
    const details = { network: chain.network, batches: contradicted.length, firstBatchId: contradicted[0] };
    deps.log('rpc_endpoints_contradict_batches', details);
  }
}

type DecidedByBlock = { readonly row: Row; readonly decided: BatchDecision | BatchSearch };

/** Batches whose payments all have their result need nothing but the status: one statement for a page of them. */
async function finishSettled(
  { finality, clock }: FinalityDeps,
  page: readonly DecidedByBlock[],
  onFailure: NoteFailure,
): Promise<ReadonlySet<string>> {
  const settled = page.filter(({ row, decided }) => decided.action === 'finish' && isSettled(row));
  const [first, ...others] = settled;
  if (first === undefined || others.length === 0) return new Set();
  try {
    return new Set(
      await finality.recordSettledFinal(
        settled.map(({ row }) => row.id),
        clock.nowMs(),
      ),
    );
  } catch (problem) {
    // Each of them is recorded alone now.
    onFailure(idsOf(first.row), problem);
    return new Set();
  }
}

const isSettled = (row: Row) => 'openItems' in row && row.openItems.length === 0;

type Loaded = BatchToFind & {
  readonly row: Row;
  /** Undefined when only the open items are searched. */
  readonly recorded: RecordedBatch | undefined;
  readonly decideOn: (judged: BatchVerdict) => BatchDecision;
};

type Found = Pick<Loaded, 'row' | 'recorded'> & { readonly decide: () => BatchDecision };

/** Searches all batches of a page in one call. Those that were found are in the order of the page. */
async function searchBatches(
  chain: FinalityChain,
  { finality }: FinalityDeps,
  page: readonly DecidedByBlock[],
  onFailure: NoteFailure,
): Promise<readonly Found[]> {
  const rows = await mapConcurrent(LOADED_AT_ONCE, page, async ({ row, decided }): Promise<readonly Loaded[]> => {
    if (decided.action === 'search_open_items') {
      const { batch } = decided;
      const decideOn = (judged: BatchVerdict) => decideOnOpenItems(batch, judged);
      return [{ row, block: row, batch: openItemsOf(batch), recorded: undefined, decideOn }];
    }
    if (decided.action !== 'search_record') return [];
    try {
      const recorded = await finality.loadRecordedBatch(row.id);
      if (recorded === undefined) return [];
      const decideOn = (judged: BatchVerdict) => decideOnRecorded(row, decided.blockVerdict, recorded, judged);
      return [{ row, block: row, batch: recorded, recorded, decideOn }];
    } catch (problem) {
      onFailure(idsOf(row), problem);
      return [];
    }
  });
  const loaded = rows.flat();
  // A chain that answered about blocks is not silent: then every batch is tried, however many fail.
  const isUnread = page.some(({ decided }) => 'blockVerdict' in decided && decided.blockVerdict === 'unread');
  const readMany = isUnread ? readIsolated : readOrEach;
  const verdicts = await readMany(loaded, chain.judgeBatches, ({ row }, problem) => onFailure(idsOf(row), problem));
  return loaded.flatMap((one) => {
    const judged = verdicts.get(one);
    return judged === undefined ? [] : [{ ...one, decide: () => one.decideOn(judged) }];
  });
}

async function act(
  { network, gasCoin }: FinalityChain,
  { finality, clock, log, metrics }: FinalityDeps,
  row: Row,
  decision: BatchDecision,
  recorded: RecordedBatch | undefined,
): Promise<void> {
  const nowMs = clock.nowMs();
  const details = { network, ...idsOf(row, recorded), payments: recorded?.settledIds.size };
  if (decision.action === 'finish' && 'openItems' in row) await finality.recordFinal(row, decision.outcomes, nowMs);
  if (decision.action === 'move' && recorded !== undefined) {
    const { mined } = decision;
    if (!(await finality.moveBatch(recorded, row.blockHash, mined, { nowMs, gasCoin }))) return;
    metrics.batchMoved(network);
    log('batch_moved', { ...details, blockNumber: mined.blockNumber.toString() });
  }
  if (decision.action === 'reverse') {
    if (!(await finality.reverseBatch(row.id, row.blockHash, nowMs))) return;
    metrics.batchReversed(network);
    log('batch_reversed', details);
  }
}

function isSearch(decided: BatchDecision | BatchSearch): decided is BatchSearch {
  return decided.action === 'search_record' || decided.action === 'search_open_items';
}

/** The open items as a batch: none of them is recorded as settled. */
function openItemsOf({ id, transactionId, openItems }: AgeingBatch): BatchToFind['batch'] {
  return {
    id,
    nonce: 0n,
    status: BATCH_STATUS.broadcast,
    sentAtMs: 0,
    transactions: [{ transactionId, raw: new Uint8Array() }],
    items: openItems,
    settledIds: new Set(),
  };
}

function idsOf(row: Row, recorded?: RecordedBatch) {
  const transactionId = recorded?.transactionId ?? ('transactionId' in row ? row.transactionId : undefined);
  return { batchId: row.id, transactionId };
}
