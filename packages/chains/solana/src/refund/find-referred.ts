// Finds transfers by a refund's reference. Anybody may name the key in a transaction of their own, so only balances count:
// the wallet's tokens left with a transaction that names it. Which transactions name it no single node decides.
import { ChainUnavailable } from '@svc-pay/core';
import { findTransactionOutcomes } from '../finality/find-transaction-outcome.ts';
import type { Landing } from '../prove/read-balance-changes.ts';
import { type Outflow, type OutflowQuestion, readOutflow } from '../prove/read-outflow.ts';
import { askEvery } from '../rpc/ask-nodes.ts';
import { listSignatures } from '../rpc/list-signatures.ts';
import type { Lifetime, SolanaNode } from '../rpc/solana-node.ts';

type ReferredTransfer = Outflow & { readonly transactionId: string; readonly landing: Landing };

export type Referred = {
  readonly transfers: readonly ReferredTransfer[];
  /** The nodes whose lists these are. Another one's history proves nothing of them. */
  readonly listedBy: readonly SolanaNode[];
};

/** Nobody but the merchant's own wallet has a reason to name the key; more are somebody's attempt to keep us busy. */
const MOST_READ = 50;
/** One has up to 1,000 signatures. */
const MOST_PAGES = 10;

/** Of a transaction whose blockhash is not known: it never counts as expired. */
export const ENDLESS: Lifetime = { blockhash: '', lastValidBlockHeight: 2n ** 64n - 1n, slot: 0n };

/**
 * Final ones. A transaction that any node lists is looked at, and counts if the nodes agree that it names the key. Throws `ChainUnavailable` where one of them can't be read, or is
 * listed and not final yet: nothing may be concluded then. With `confirmed` that is what is on its way.
 */
export async function findReferred(
  nodes: readonly SolanaNode[],
  reference: string,
  question: OutflowQuestion,
  commitment: 'confirmed' | 'finalized' = 'finalized',
): Promise<Referred> {
  const told = await askEvery(nodes, async (node) => ({
    node,
    list: await listSignatures(node, { reference, after: null, pages: MOST_PAGES, commitment }),
  }));
  if (told.length === 0) throw new ChainUnavailable('no node lists the transactions of a reference');
  // Anybody may hide a refund behind failed transactions: what is not read to its end proves nothing.
  if (told.some(({ list }) => !list.isWhole))
    throw new ChainUnavailable(`more transactions name the reference ${reference} than are listed`);
  const listed = new Set(
    told.flatMap(({ list }) => list.entries).flatMap(({ signature, err }) => (err === null ? [signature] : [])),
  );
  if (listed.size > MOST_READ)
    throw new ChainUnavailable(`${listed.size} transactions name the reference ${reference}, more than are read`);
  const pending = [...listed].map((transactionId) => ({ transactionId, lifetime: ENDLESS }));
  const outcomes = await findTransactionOutcomes(nodes, pending);
  const found = pending.map(async ({ transactionId }, index): Promise<readonly ReferredTransfer[]> => {
    const outcome = outcomes[index];
    const isSeen = outcome?.kind === 'landed' || outcome?.kind === 'failed';
    if (isSeen && !outcome.landing.accounts.includes(reference)) return [];
    if (!isSeen || outcome.commitment !== 'finalized')
      throw new ChainUnavailable(`a node lists ${transactionId}, and the nodes do not agree that it is final`);
    const outflow = await readOutflow(outcome.landing, question);
    return outflow === undefined ? [] : [{ ...outflow, transactionId, landing: outcome.landing }];
  });
  return { transfers: (await Promise.all(found)).flat(), listedBy: told.map(({ node }) => node) };
}

/**
 * The nodes that have every transaction since that slot. Asked after a list was read: what a node still has now, it had
 * then.
 */
export async function reachingBack(nodes: readonly SolanaNode[], slot: bigint): Promise<readonly SolanaNode[]> {
  const told = await askEvery(nodes, async (node) => ((await node.firstAvailableSlot()) <= slot ? [node] : []));
  return told.flat();
}
