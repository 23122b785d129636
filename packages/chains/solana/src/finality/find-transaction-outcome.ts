// Asks the nodes of a network for the outcomes of transactions: height and statuses in one call each for all of them,
// and one call for each transaction that landed.
import { ChainUnavailable, mapConcurrent } from '@svc-pay/core';
import { readLanding } from '../prove/read-balance-changes.ts';
import { askEvery } from '../rpc/ask-nodes.ts';
import type { Lifetime, SolanaNode, TransactionStatus } from '../rpc/solana-node.ts';
import { agreeOnOutcome, judgeSighting, type Sighting, type TransactionOutcome } from './transaction-outcome.ts';

export type PendingTransaction = { readonly transactionId: string; readonly lifetime: Lifetime };

/** The most statuses that a node returns in one answer. */
export const MOST_STATUSES = 256;
/** Concurrent calls to one node. */
const MOST_AT_ONCE = 32;

export async function findTransactionOutcome(
  nodes: readonly SolanaNode[],
  pending: PendingTransaction,
): Promise<TransactionOutcome> {
  const [outcome] = await findTransactionOutcomes(nodes, [pending]);
  return outcome ?? { kind: 'unknown' };
}

/** Outcomes in the order given. A node that does not answer for a transaction has no vote on it. */
export async function findTransactionOutcomes(
  nodes: readonly SolanaNode[],
  pending: readonly PendingTransaction[],
): Promise<readonly TransactionOutcome[]> {
  const outcomes: TransactionOutcome[] = [];
  for (let at = 0; at < pending.length; at += MOST_STATUSES) {
    const some = pending.slice(at, at + MOST_STATUSES);
    const told = await askEvery(nodes, (node) => sightAll(node, some));
    outcomes.push(
      ...some.map(({ lifetime }, index) => {
        const sightings = told.map((sights) => sights[index]).filter((sighting) => sighting !== undefined);
        return agreeOnOutcome(sightings.map((sighting) => judgeSighting(sighting, lifetime)));
      }),
    );
  }
  return outcomes;
}

async function sightAll(
  node: SolanaNode,
  pending: readonly PendingTransaction[],
): Promise<readonly (Sighting | undefined)[]> {
  // The height comes before the statuses: read afterwards, it may have advanced while a transaction landed.
  const finalizedHeight = await node.blockHeight('finalized');
  const statuses = await node.statuses(pending.map(({ transactionId }) => transactionId));
  let firstSlot: Promise<bigint> | undefined;
  const sight = async (
    { transactionId, lifetime }: PendingTransaction,
    status: TransactionStatus | null,
  ): Promise<Sighting> => {
    if (status === null) {
      if (finalizedHeight <= lifetime.lastValidBlockHeight) return { finalizedHeight, status };
      firstSlot ??= node.firstAvailableSlot();
      return { finalizedHeight, status, firstAvailableSlot: await firstSlot };
    }
    if (status.commitment === 'processed') return { finalizedHeight, status };
    return { finalizedHeight, status, landing: readLanding(await node.transaction(transactionId, 'confirmed')) };
  };
  return mapConcurrent(MOST_AT_ONCE, pending, (one, index) => unlessSilent(sight(one, statuses[index] ?? null)));
}

async function unlessSilent<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (problem) {
    if (problem instanceof ChainUnavailable) return undefined;
    throw problem;
  }
}
