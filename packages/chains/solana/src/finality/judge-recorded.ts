// Answers where recorded transactions are now, by their statuses: the statuses of a whole page are one call per node.
import {
  type AgeingBatch,
  type BatchBlock,
  type BatchToFind,
  type BatchVerdict,
  type BlockVerdict,
  hasSameOutcome,
  isConfirmedBatch,
  type MinedBatch,
  votesNeeded,
} from '@svc-pay/core';
import { askEvery } from '../rpc/ask-nodes.ts';
import type { SolanaNode, TransactionStatus } from '../rpc/solana-node.ts';
import { FINALIZED_CONFIRMATIONS } from './commitment.ts';
import { findExpired, findMined, isTransactionId } from './find-batches.ts';
import { MOST_STATUSES } from './find-transaction-outcome.ts';

/**
 * Judges settled batches by their statuses alone. The same bytes that succeeded in the recorded slot, which is final now, did
 * what was proved when the batch was recorded. Every other batch is `unread`: its whole transaction tells.
 */
export async function judgeSlots(
  nodes: readonly SolanaNode[],
  batches: readonly (BatchBlock | AgeingBatch)[],
): Promise<readonly BlockVerdict[]> {
  const settled = batches.filter(isSettled);
  const final = new Set<string>();
  for (let at = 0; at < settled.length; at += MOST_STATUSES) {
    const some = settled.slice(at, at + MOST_STATUSES);
    const ids = some.map(({ transactionId }) => transactionId);
    const told = await askEvery(nodes, (node) => node.statuses(ids));
    for (const [index, batch] of some.entries()) {
      const agreeing = told.filter((statuses) => succeededIn(batch, statuses[index] ?? null)).length;
      if (agreeing > 0 && agreeing >= votesNeeded(told.length) && agreeing > told.length - agreeing)
        final.add(batch.id);
    }
  }
  return batches.map(({ id }) => (final.has(id) ? 'final' : 'unread'));
}

const isSettled = (batch: BatchBlock | AgeingBatch): batch is AgeingBatch =>
  'openItems' in batch && batch.openItems.length === 0 && isTransactionId(batch.transactionId);

const succeededIn = ({ blockNumber }: BatchBlock, status: TransactionStatus | null) =>
  status?.commitment === 'finalized' && status.slot === blockNumber && status.error === null;

export async function judgeBatches(
  nodes: readonly SolanaNode[],
  batches: readonly BatchToFind[],
): Promise<readonly BatchVerdict[]> {
  const found = await findMined(
    nodes,
    batches.map(({ batch }) => batch),
  );
  const minedOf = new Map(found.map((mined) => [mined.batchId, mined]));
  const missing = batches.map(({ batch }) => batch).filter(({ id }) => !minedOf.has(id));
  // No node knows the transaction. It is gone only if it can never land: the nodes may have lost it for a moment.
  const expired = missing.length === 0 ? [] : await findExpired(nodes, missing);
  return batches.map((one): BatchVerdict => {
    const mined = minedOf.get(one.batch.id);
    if (mined !== undefined) return judgeMined(one, mined);
    return { verdict: expired.includes(one.batch.id) ? 'absent' : 'unknown' };
  });
}

export function isFinal({ confirmations }: MinedBatch): boolean {
  return confirmations >= BigInt(FINALIZED_CONFIRMATIONS);
}

function judgeMined({ block, batch }: BatchToFind, mined: MinedBatch): BatchVerdict {
  if (!hasSameOutcome(batch, mined)) return { verdict: 'moved', mined };
  if (mined.blockHash === block.blockHash)
    return isFinal(mined) ? { verdict: 'final', mined } : { verdict: 'not_final' };
  // In another slot a transaction counts again when it is confirmed as its payment requires; its fork may be left before.
  return isConfirmedBatch(mined, batch.items) ? { verdict: 'moved', mined } : { verdict: 'unknown' };
}
