// Asks the nodes of a network what became of a transaction.

import { askEvery } from '../rpc/ask-nodes.ts';
import type { Lifetime, SolanaNode } from '../rpc/solana-node.ts';
import { agreeOnFate, type Fate, judgeSighting, type Sighting } from './fate.ts';
import { readLanding } from './read-landing.ts';

export type Flying = { readonly transactionId: string; readonly lifetime: Lifetime };

export async function findFate(nodes: readonly SolanaNode[], flying: Flying): Promise<Fate> {
  const sightings = await askEvery(nodes, (node) => sight(node, flying));
  return agreeOnFate(sightings.map((sighting) => judgeSighting(sighting, flying.lifetime)));
}

async function sight(node: SolanaNode, { transactionId, lifetime }: Flying): Promise<Sighting> {
  // Before the status: a height that is read after it may have passed while the transaction landed.
  const finalizedHeight = await node.blockHeight('finalized');
  const [status = null] = await node.statuses([transactionId]);
  if (status === null) {
    if (finalizedHeight <= lifetime.lastValidBlockHeight) return { finalizedHeight, status };
    return { finalizedHeight, status, firstAvailableSlot: await node.firstAvailableSlot() };
  }
  if (status.commitment === 'processed') return { finalizedHeight, status };
  return { finalizedHeight, status, landing: readLanding(await node.transaction(transactionId, 'confirmed')) };
}
