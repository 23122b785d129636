// Finds the outcomes of sent transactions by asking the network's nodes. No key is needed.
import type { LaneItem, MinedBatch, PendingBatch } from '@svc-pay/core';
import { askEvery, askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { lifetimeOf } from '../transfer/item-terms.ts';
import { findTransactionOutcomes } from './find-transaction-outcome.ts';
import { minedBatchOf } from './mined-batch.ts';

/**
 * Batches whose transaction landed, whether it succeeded or failed and was charged for. Batches without a payment are left
 * out: one of them must not stop the whole lane.
 */
export async function findMined(
  nodes: readonly SolanaNode[],
  all: readonly PendingBatch[],
): Promise<readonly MinedBatch[]> {
  const batches = all.filter(hasItems);
  const pending = batches.map(pendingOf);
  const outcomes = await findTransactionOutcomes(nodes, pending);
  const mined = batches.map(async (batch, index) => {
    const outcome = outcomes[index];
    if (outcome?.kind !== 'landed' && outcome?.kind !== 'failed') return undefined;
    return minedBatchOf(batch, pending[index]?.transactionId ?? '', outcome);
  });
  return (await Promise.all(mined)).filter((found) => found !== undefined);
}

/** Ids of batches whose transaction can never land any more, by every node that answers. Those without a payment as above. */
export async function findExpired(
  nodes: readonly SolanaNode[],
  all: readonly PendingBatch[],
): Promise<readonly string[]> {
  const batches = all.filter(hasItems);
  // One call for all of them: most batches are young and need no further call.
  const height = await askFirst(nodes, (node) => node.blockHeight('finalized'));
  const old = batches.filter((batch) => pendingOf(batch).lifetime.lastValidBlockHeight < height);
  const outcomes = await findTransactionOutcomes(nodes, old.map(pendingOf));
  return old.filter((_, index) => outcomes[index]?.kind === 'expired').map(({ id }) => id);
}

/** The lowest finalized slot of all nodes that answer: final for that node means final for all. */
export async function finalizedSlot(nodes: readonly SolanaNode[]): Promise<bigint> {
  const slots = await askEvery(nodes, (node) => node.slot('finalized'));
  return slots.reduce((low, slot) => (low < 0n || slot < low ? slot : low), -1n);
}

/** Without its payment nothing tells how long the transaction of a batch lives. */
const hasItems = ({ items }: PendingBatch) => items.length > 0;

export function only([item, ...others]: readonly LaneItem[]): LaneItem {
  if (item === undefined || others.length > 0) {
    throw new Error(
      `a Solana transaction carries one payment, not ${others.length + (item ? 1 : 0)} (first: ${item?.paymentId})`,
    );
  }
  return item;
}

/** Base58 of 64 bytes. */
export const isTransactionId = (text: string): boolean => /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text);

function pendingOf({ id, items, transactions }: PendingBatch) {
  const [transaction] = transactions;
  // One malformed id would make a node refuse the whole request.
  if (transaction === undefined || !isTransactionId(transaction.transactionId))
    throw new Error(`batch ${id} has no Solana transaction`);
  return { transactionId: transaction.transactionId, lifetime: lifetimeOf(only(items)) };
}
