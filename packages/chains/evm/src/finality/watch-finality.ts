// Watches mined batches until their block is final. After a reorg a batch is recorded in its new block, or its payments
// are reversed and the batch is pending again. An item that did not settle fails only in a final block. While nodes
// contradict each other nothing changes: the batch waits.
import {
  type AgeingBatch,
  type BatchBlock,
  createWalk,
  hasSameOutcome,
  heightOfMost,
  isConfirmedBatch,
  jobName,
  judgeBatch,
  judgeBlock,
  type NoteFailure,
  noteFailures,
  outcomesOf,
  type PendingBatch,
  type PeriodicJob,
  type WatchDeps,
} from '@svc-pay/core';
import { collectNodeViews } from '../rpc/collect-node-views.ts';
import type { OpenNetwork } from '../send/open-networks.ts';
import { readBatchView, readBlockHashes, readFinalNodes } from './read-finality.ts';

const EVERY_MS = 1_000;
const AT_ONCE = 50;
const MAX_PAGES = 20;
/** Every run checks this many of the newest non-final batches: a reorg starts at the newest block. */
const NEWEST = 200;

type Watched = Pick<OpenNetwork, 'network' | 'voters' | 'gasCoin'>;
type Deps = Pick<WatchDeps, 'finality' | 'clock' | 'log' | 'metrics' | 'countFailure'>;

export function createFinalityWatch(open: Watched, deps: Deps): PeriodicJob {
  const { network, voters } = open;
  const { finality } = deps;
  const onFailure = noteFailures(network, 'finality', deps);
  let finalizedNumber = 0n;
  const walk = createWalk<AgeingBatch>({
    load: (after, limit) => finality.loadAgeingBatches(network, finalizedNumber, limit, after?.id),
    pageSize: AT_ONCE,
    maxPages: MAX_PAGES,
  });
  return {
    name: jobName('finality', network),
    everyMs: EVERY_MS,
    run: async () => {
      const nodes = await readFinalNodes(await voters());
      const [first, ...others] = nodes;
      finalizedNumber = heightOfMost([first.finalizedNumber, ...others.map((node) => node.finalizedNumber)]);
      const young = await finality.loadBatchBlocks(network, finalizedNumber, NEWEST);
      await walk((ageing) => judgePage(open, deps, ageing, onFailure));
      // Youngest last, so that payments are reversed and sent again in the order of their nonces.
      await judgePage(open, deps, young.toReversed(), onFailure);
    },
  };
}

/** A batch that throws does not stop the others. */
async function judgePage(
  open: Watched,
  deps: Deps,
  page: readonly (BatchBlock | AgeingBatch)[],
  onFailure: NoteFailure,
): Promise<void> {
  if (page.length === 0) return;
  const { network, voters } = open;
  const heights = page.map(({ blockNumber }) => blockNumber);
  const views = await collectNodeViews(await voters(), (node) => readBlockHashes(node, heights));
  const contradicted: string[] = [];
  for (const batch of page) {
    const seen = views.map(({ finalizedNumber, hashes }) => ({
      finalizedNumber,
      hash: hashes.get(batch.blockNumber),
    }));
    const verdict = judgeBlock(batch, seen);
    if (verdict === 'contradicted') contradicted.push(batch.id);
    try {
      if (verdict === 'gone') await follow(open, deps, batch);
      if (verdict === 'final' && 'openItems' in batch) await finish(open, deps, batch);
    } catch (problem) {
      onFailure({ batchId: batch.id }, problem);
    }
  }
  if (contradicted.length > 0) {
    const details = { network, batches: contradicted.length, firstBatchId: contradicted[0] };
    deps.log('rpc_endpoints_contradict_batches', details);
  }
}

/** Records a batch whose block is final; receipts of the same nodes decide the outcome of its open items. */
async function finish({ voters }: Watched, { finality, clock }: Deps, batch: AgeingBatch): Promise<void> {
  if (batch.openItems.length === 0) return finality.recordFinal(batch, [], clock.nowMs());
  const pendingBatch = asPending(batch);
  const views = await collectNodeViews(await voters(), (node) => readBatchView(node, pendingBatch, batch.blockNumber));
  const judged = judgeBatch(batch, views);
  if (judged.verdict === 'standing') return;
  if (judged.verdict !== 'final') throw new Error(`batch ${batch.id} is final and its receipts are ${judged.verdict}`);
  await finality.recordFinal(batch, outcomesOf(batch, judged.mined), clock.nowMs());
}

async function follow(
  { network, voters, gasCoin }: Watched,
  { finality, clock, log, metrics }: Deps,
  batchBlock: BatchBlock,
): Promise<void> {
  const batch = await finality.loadRecordedBatch(batchBlock.id);
  if (batch === undefined) return;
  const details = { network, batchId: batch.id, transactionId: batch.transactionId, payments: batch.settledIds.size };
  const views = await collectNodeViews(await voters(), (node) => readBatchView(node, batch, batchBlock.blockNumber));
  const judged = judgeBatch(batchBlock, views);
  if (judged.verdict === 'contradicted') {
    log('rpc_endpoints_contradict_batches', details);
    return;
  }
  const nowMs = clock.nowMs();
  if (
    judged.verdict === 'moved' &&
    hasSameOutcome(batch, judged.mined) &&
    isConfirmedBatch(judged.mined, batch.items)
  ) {
    if (await finality.moveBatch(batch, batchBlock.blockHash, judged.mined, { nowMs, gasCoin })) {
      metrics.batchMoved(network);
      log('batch_moved', { ...details, blockNumber: judged.mined.blockNumber.toString() });
    }
    return;
  }
  if (judged.verdict !== 'moved' && judged.verdict !== 'absent') return;
  if (await finality.reverseBatch(batch.id, batchBlock.blockHash, nowMs)) {
    metrics.batchReversed(network);
    log('batch_reversed', details);
  }
}

/** Contains only the open items: the other payments have their result. */
function asPending({ id, transactionId, openItems }: AgeingBatch): PendingBatch {
  return {
    id,
    nonce: 0n,
    status: 'broadcast',
    sentAtMs: 0,
    transactions: [{ transactionId, raw: new Uint8Array() }],
    items: openItems,
  };
}
