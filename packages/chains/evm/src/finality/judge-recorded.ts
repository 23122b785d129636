// Answers where recorded batches are now. Block hashes come first: one hash determines everything in its block. Receipts
// are read only for batches that their block does not decide.
import {
  type BatchBlock,
  type BatchToFind,
  type BatchVerdict,
  type BlockVerdict,
  heightOfMost,
  judgeBatch,
  judgeBlock,
  mapConcurrent,
} from '@svc-pay/core';
import { collectNodeViews } from '../rpc/collect-node-views.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { readBatchView, readBlockHashes, readFinalNodes } from './read-finality.ts';

/** Batches whose receipts are read at the same time. Each has views of its own: a node that fails on one keeps its vote. */
const CONCURRENT = 8;

export async function readFinalizedNumber(nodes: readonly JsonRpc[]): Promise<bigint> {
  const [first, ...others] = await readFinalNodes(nodes);
  return heightOfMost([first.finalizedNumber, ...others.map((node) => node.finalizedNumber)]);
}

export async function judgeBlocks(
  nodes: readonly JsonRpc[],
  batches: readonly BatchBlock[],
): Promise<readonly BlockVerdict[]> {
  const heights = batches.map(({ blockNumber }) => blockNumber);
  const views = await collectNodeViews(nodes, (node) => readBlockHashes(node, heights));
  return batches.map((batch) =>
    judgeBlock(
      batch,
      views.map(({ finalizedNumber, hashes }) => ({ finalizedNumber, hash: hashes.get(batch.blockNumber) })),
    ),
  );
}

export function judgeBatches(
  nodes: readonly JsonRpc[],
  batches: readonly BatchToFind[],
): Promise<readonly BatchVerdict[]> {
  return mapConcurrent(CONCURRENT, batches, async ({ block, batch }) =>
    judgeBatch(block, await collectNodeViews(nodes, (node) => readBatchView(node, batch, block.blockNumber))),
  );
}
