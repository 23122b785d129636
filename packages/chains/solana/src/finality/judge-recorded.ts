// Answers where recorded transactions are now, by their statuses: the statuses of a whole page are one call per node.
import { type BatchToFind, type BatchVerdict, hasSameOutcome, isConfirmedBatch, type MinedBatch } from '@svc-pay/core';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { FINALIZED_CONFIRMATIONS } from './commitment.ts';
import { findExpired, findMined } from './find-batches.ts';

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
