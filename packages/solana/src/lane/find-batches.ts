// What became of transactions that were sent, by the nodes of their network. No key is needed to look.
import type { FlyingBatch, LaneItem, MinedBatch } from '@svc-pay/core';
import { findFate } from '../confirm/find-fate.ts';
import { askEvery, askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { lifetimeOf } from './item-terms.ts';
import { minedBatchOf } from './mined-batch.ts';

/** What a node answers at once. */
const MOST_STATUSES = 256;

/** Those that landed, whether they did what they say or were charged for and undone. */
export async function findMined(
  nodes: readonly SolanaNode[],
  batches: readonly FlyingBatch[],
): Promise<readonly MinedBatch[]> {
  const seen = await withStatus(nodes, batches);
  const mined = await Promise.all(seen.map((batch) => findOne(nodes, batch)));
  return mined.filter((found) => found !== undefined);
}

/** Ids of those that can never land any more, by the word of every node that answers. */
export async function findExpired(
  nodes: readonly SolanaNode[],
  batches: readonly FlyingBatch[],
): Promise<readonly string[]> {
  // One question for all of them: most are young, and need no further one.
  const height = await askFirst(nodes, (node) => node.blockHeight('finalized'));
  const old = batches.filter((batch) => flyingOf(batch).lifetime.lastValidBlockHeight < height);
  const fates = await Promise.all(old.map((batch) => findFate(nodes, flyingOf(batch))));
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

/** Those of which any node has heard, by a few questions for all of them. */
async function withStatus(
  nodes: readonly SolanaNode[],
  batches: readonly FlyingBatch[],
): Promise<readonly FlyingBatch[]> {
  const seen: FlyingBatch[] = [];
  for (let at = 0; at < batches.length; at += MOST_STATUSES) {
    const some = batches.slice(at, at + MOST_STATUSES);
    const ids = some.map((batch) => flyingOf(batch).transactionId);
    const answers = await askEvery(nodes, (node) => node.statuses(ids));
    seen.push(...some.filter((_, index) => answers.some((statuses) => statuses[index] !== null)));
  }
  return seen;
}

async function findOne(nodes: readonly SolanaNode[], batch: FlyingBatch): Promise<MinedBatch | undefined> {
  const flying = flyingOf(batch);
  const fate = await findFate(nodes, flying);
  if (fate.kind !== 'landed' && fate.kind !== 'failed') return undefined;
  return minedBatchOf(batch, flying.transactionId, fate);
}
