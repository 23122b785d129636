// Asks the nodes of a network for the outcomes of transactions: height and statuses in one call each for all of them, and the
// whole of each transaction that landed from as many nodes as the others cannot outvote.
import { ChainUnavailable, mapConcurrent } from '@svc-pay/core';
import { readLanding } from '../prove/read-balance-changes.ts';
import { askEvery } from '../rpc/ask-nodes.ts';
import type { Lifetime, SolanaNode } from '../rpc/solana-node.ts';
import {
  agreeOnOutcome,
  atLowest,
  judgeSighting,
  type Sighting,
  sameOutcome,
  type TransactionOutcome,
} from './transaction-outcome.ts';

export type PendingTransaction = { readonly transactionId: string; readonly lifetime: Lifetime };

/** The most statuses that a node returns in one answer. */
export const MOST_STATUSES = 256;
/** Transactions that are read at once. */
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
    const looks = await askEvery(nodes, (node) => lookFor(node, some));
    const found = await mapConcurrent(MOST_AT_ONCE, some, (one, index) =>
      outcomeOf(
        one,
        looks.flatMap(({ node, sightings }) => {
          const sighting = sightings[index];
          return sighting === undefined ? [] : [{ node, sighting }];
        }),
        at + index,
      ),
    );
    outcomes.push(...found);
  }
  return outcomes;
}

type Look = { readonly node: SolanaNode; readonly sightings: readonly (Sighting | undefined)[] };

/** What a node tells of transactions by their statuses alone. */
async function lookFor(node: SolanaNode, pending: readonly PendingTransaction[]): Promise<Look> {
  // The height comes before the statuses: read afterwards, it may have advanced while a transaction landed.
  const finalizedHeight = await node.blockHeight('finalized');
  const statuses = await node.statuses(pending.map(({ transactionId }) => transactionId));
  let firstSlot: Promise<bigint> | undefined;
  const look = async ({ lifetime }: PendingTransaction, index: number): Promise<Sighting> => {
    const status = statuses[index] ?? null;
    if (status !== null || finalizedHeight <= lifetime.lastValidBlockHeight) return { finalizedHeight, status };
    firstSlot ??= node.firstAvailableSlot();
    return { finalizedHeight, status, firstAvailableSlot: await firstSlot };
  };
  return { node, sightings: await Promise.all(pending.map((one, index) => unlessSilent(look(one, index)))) };
}

type Witness = { readonly node: SolanaNode; readonly sighting: Sighting };

/**
 * `turn`: which of the nodes reads the transaction first, so that they share the work. The nodes that are not asked cannot outvote
 * more than half of them that tell the same, whatever they would tell; their statuses still count towards its commitment.
 */
async function outcomeOf(
  { transactionId, lifetime }: PendingTransaction,
  witnesses: readonly Witness[],
  turn: number,
): Promise<TransactionOutcome> {
  const read = async ({ node, sighting }: Witness): Promise<TransactionOutcome | undefined> => {
    const landing = await unlessSilent(
      node.transaction(transactionId, 'confirmed').then((told) => ({ told: readLanding(told) })),
    );
    return landing && judgeSighting({ ...sighting, landing: landing.told }, lifetime);
  };
  const [confirmed, others] = [witnesses.filter(hasLanded), witnesses.filter((witness) => !hasLanded(witness))];
  const inTurn = confirmed.map((_, place) => confirmed[(place + turn) % confirmed.length]).filter(isThere);
  const enough = Math.floor(witnesses.length / 2) + 1;
  const [first, later] = [inTurn.slice(0, enough), inTurn.slice(enough)];
  const judged = (await Promise.all(first.map(read))).filter(isThere);
  const untold = others.map(({ sighting }) => judgeSighting(sighting, lifetime));
  const same = judged.length === enough ? sameOutcome(judged) : undefined;
  if (same !== undefined) {
    const { landing } = same;
    return atLowest(
      same,
      later.map(({ sighting }) => judgeSighting({ ...sighting, landing }, lifetime)),
    );
  }
  const outcome = agreeOnOutcome([...judged, ...(await Promise.all(later.map(read))).filter(isThere), ...untold]);
  // A node that knows the transaction and did not return it has no vote, and yet it has not expired.
  return outcome.kind === 'expired' && confirmed.length > 0 ? { kind: 'unknown' } : outcome;
}

const hasLanded = ({ sighting: { status } }: Witness) => status !== null && status.commitment !== 'processed';

const isThere = <Value>(value: Value | undefined): value is Value => value !== undefined;

async function unlessSilent<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (problem) {
    if (problem instanceof ChainUnavailable) return undefined;
    throw problem;
  }
}
