import type { BatchView, PendingBatch } from '@svc-pay/core';
import { numberToHex } from 'viem';
import { findMined } from '../prove/find-mined.ts';
import { askChain, fieldOf, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import { collectNodeViews } from '../rpc/collect-node-views.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';

export type Finality = { readonly finalizedNumber: bigint; readonly finalizedTimeSeconds: bigint };

/** A node with its own finalized height: state at that height is read from the same node. */
export type FinalNode = Finality & { readonly node: JsonRpc };

/** The last block that the chain calls finalized. Throws `ChainUnavailable` when the node cannot tell. */
export async function readFinality(rpc: JsonRpc): Promise<Finality> {
  const [answer] = await askChain(rpc, [{ method: 'eth_getBlockByNumber', params: ['finalized', false] }]);
  const block = resultOf(answer);
  return {
    finalizedNumber: quantityOf(fieldOf(block, 'number')),
    finalizedTimeSeconds: quantityOf(fieldOf(block, 'timestamp')),
  };
}

/** The nodes that answered, at least one. Throws `ChainUnavailable` when none did. */
export function readFinalNodes(nodes: readonly JsonRpc[]): Promise<readonly [FinalNode, ...FinalNode[]]> {
  return collectNodeViews(nodes, async (node) => ({ node, ...(await readFinality(node)) }));
}

// Detects reorgs. A block's hash commits to everything in the block and before it, so one hash per height is enough for
// any number of transactions.

export type BlockHashes = {
  readonly finalizedNumber: bigint;
  /** By height; undefined where the node has no block yet, or does not answer for it. */
  readonly hashes: ReadonlyMap<bigint, string | undefined>;
};

/**
 * Block hashes and the finalized height from one node in one request. A height that one node calls final may belong to
 * another block at a node that is stuck on a fork, and that block is then final at neither. `node` is one endpoint,
 * never several in turn.
 */
export async function readBlockHashes(node: JsonRpc, heights: readonly bigint[]): Promise<BlockHashes> {
  const asked = [...new Set(heights)];
  const [finalized, ...answers] = await askChain(node, [
    { method: 'eth_getBlockByNumber', params: ['finalized', false] },
    ...asked.map((height) => ({ method: 'eth_getBlockByNumber', params: [numberToHex(height), false] })),
  ]);
  const hashes = new Map(
    asked.map((height, index) => {
      const answer = answers[index];
      const hash = answer?.ok === true ? fieldOf(answer.result, 'hash') : undefined;
      return [height, typeof hash === 'string' ? hash.toLowerCase() : undefined];
    }),
  );
  return { finalizedNumber: quantityOf(fieldOf(resultOf(finalized), 'number')), hashes };
}

/** One node's view of a batch recorded at that height: the finalized height, the block hash there, and the receipts. */
export async function readBatchView(node: JsonRpc, batch: PendingBatch, recordedNumber: bigint): Promise<BatchView> {
  const [mined] = await findMined(node, [batch]);
  const { finalizedNumber, hashes } = await readBlockHashes(node, [recordedNumber]);
  return { finalizedNumber, hash: hashes.get(recordedNumber), mined };
}
