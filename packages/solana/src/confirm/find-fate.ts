// Asks the nodes of a network what became of transactions: the height and the statuses by one question for all of them,
// and what each of those that landed did by one of its own.
import { atOnce, ChainUnavailable } from '@svc-pay/core';
import { askEvery } from '../rpc/ask-nodes.ts';
import type { Lifetime, SolanaNode, TransactionStatus } from '../rpc/solana-node.ts';
import { agreeOnFate, type Fate, judgeSighting, type Sighting } from './fate.ts';
import { readLanding } from './read-landing.ts';

export type Flying = { readonly transactionId: string; readonly lifetime: Lifetime };

/** What a node answers at once. */
const MOST_STATUSES = 256;
/** Questions to one node under way at once. */
const MOST_AT_ONCE = 32;

export async function findFate(nodes: readonly SolanaNode[], flying: Flying): Promise<Fate> {
  const [fate] = await findFates(nodes, [flying]);
  return fate ?? { kind: 'unknown' };
}

/** In the order of what flies. A node that does not answer for one of them has no say in that one. */
export async function findFates(nodes: readonly SolanaNode[], flying: readonly Flying[]): Promise<readonly Fate[]> {
  const fates: Fate[] = [];
  for (let at = 0; at < flying.length; at += MOST_STATUSES) {
    const some = flying.slice(at, at + MOST_STATUSES);
    const told = await askEvery(nodes, (node) => sightAll(node, some));
    fates.push(
      ...some.map(({ lifetime }, index) => {
        const sightings = told.map((sights) => sights[index]).filter((sighting) => sighting !== undefined);
        return agreeOnFate(sightings.map((sighting) => judgeSighting(sighting, lifetime)));
      }),
    );
  }
  return fates;
}

async function sightAll(node: SolanaNode, flying: readonly Flying[]): Promise<readonly (Sighting | undefined)[]> {
  // Before the statuses: a height that is read after them may have passed while a transaction landed.
  const finalizedHeight = await node.blockHeight('finalized');
  const statuses = await node.statuses(flying.map(({ transactionId }) => transactionId));
  let firstSlot: Promise<bigint> | undefined;
  const sight = async ({ transactionId, lifetime }: Flying, status: TransactionStatus | null): Promise<Sighting> => {
    if (status === null) {
      if (finalizedHeight <= lifetime.lastValidBlockHeight) return { finalizedHeight, status };
      firstSlot ??= node.firstAvailableSlot();
      return { finalizedHeight, status, firstAvailableSlot: await firstSlot };
    }
    if (status.commitment === 'processed') return { finalizedHeight, status };
    return { finalizedHeight, status, landing: readLanding(await node.transaction(transactionId, 'confirmed')) };
  };
  return atOnce(MOST_AT_ONCE, flying, (one, index) => unlessSilent(sight(one, statuses[index] ?? null)));
}

async function unlessSilent<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (problem) {
    if (problem instanceof ChainUnavailable) return undefined;
    throw problem;
  }
}
