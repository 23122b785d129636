// What became of transactions that were sent, by the nodes of their network. No key is needed to look.
import type { FlyingBatch, LaneItem, MinedBatch } from '@svc-pay/core';
import { findFates } from '../confirm/find-fate.ts';
import { askEvery, askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { lifetimeOf } from './item-terms.ts';
import { minedBatchOf } from './mined-batch.ts';

/** Those that landed, whether they did what they say or were charged for and undone. */
export async function findMined(
  nodes: readonly SolanaNode[],
  batches: readonly FlyingBatch[],
): Promise<readonly MinedBatch[]> {
  const flying = batches.map(flyingOf);
  const fates = await findFates(nodes, flying);
  const mined = batches.map(async (batch, index) => {
    const fate = fates[index];
    if (fate?.kind !== 'landed' && fate?.kind !== 'failed') return undefined;
    return minedBatchOf(batch, flying[index]?.transactionId ?? '', fate);
  });
  return (await Promise.all(mined)).filter((found) => found !== undefined);
}

/** Ids of those that can never land any more, by the word of every node that answers. */
export async function findExpired(
  nodes: readonly SolanaNode[],
  batches: readonly FlyingBatch[],
): Promise<readonly string[]> {
  // One question for all of them: most are young, and need no further one.
  const height = await askFirst(nodes, (node) => node.blockHeight('finalized'));
  const old = batches.filter((batch) => flyingOf(batch).lifetime.lastValidBlockHeight < height);
  const fates = await findFates(nodes, old.map(flyingOf));
  return old.filter((_, index) => fates[index]?.kind === 'expired').map(({ id }) => id);
}

/** The lowest that any node tells: what is final for it is final for all. */
export async function finalizedSlot(nodes: readonly SolanaNode[]): Promise<bigint> {
  const slots = await askEvery(nodes, (node) => node.slot('finalized'));
  return slots.reduce((low, slot) => (low < 0n || slot < low ? slot : low), -1n);
}

export function only([item, ...others]: readonly LaneItem[]): LaneItem {
  if (item === undefined || others.length > 0) throw new Error('a transaction carries one payment');
  return item;
}

function flyingOf({ id, items, transactions }: FlyingBatch) {
  const [transaction] = transactions;
  if (transaction === undefined) throw new Error(`batch ${id} has no transaction`);
  return { transactionId: transaction.transactionId, lifetime: lifetimeOf(only(items)) };
}
