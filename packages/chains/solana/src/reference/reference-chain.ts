// ReferenceChain over the nodes of one network. Nodes that lag behind the slot which a quorum has finalized are left out: they
// would leave out what the others have. A node that lies alone is outvoted.
import {
  ChainUnavailable,
  heightOfMost,
  type ListedTransaction,
  type ListedTransactions,
  majorityOf,
  type ReferenceChain,
  type ReferredTransaction,
  viewKey,
  votesNeeded,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { askEvery } from '../rpc/ask-nodes.ts';
import { listSignatures, type SignatureQuestion } from '../rpc/list-signatures.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { readMovement } from './read-movement.ts';
import { referenceOf } from './reference-key.ts';

export function createReferenceChain(
  nodes: readonly SolanaNode[],
  network: NetworkId,
  installation: () => Promise<string>,
): ReferenceChain {
  return {
    network,
    referenceOf: async (intentId) => referenceOf(await installation(), intentId),
    look: async () => {
      const told = await askEvery(nodes, async (node) => ({ node, slot: await node.slot('finalized') }));
      const [first, ...others] = told.map(({ slot }) => slot);
      if (first === undefined) throw new ChainUnavailable(`no node of ${network} tells its slot`);
      const horizon = heightOfMost([first, ...others]);
      const fit = told.filter(({ slot }) => slot >= horizon).map(({ node }) => node);
      return {
        list: (reference, after, pages) => list(fit, horizon, { reference, after, pages }),
        read: (transactionId) => read(fit, transactionId),
      };
    },
  };
}

type Vote = { readonly slot: bigint; readonly rank: number; readonly failed: boolean };

async function list(
  nodes: readonly SolanaNode[],
  horizon: bigint,
  question: SignatureQuestion,
): Promise<ListedTransactions> {
  const told = await askEvery(nodes, (node) => listSignatures(node, question));
  if (told.length === 0) throw new ChainUnavailable('getSignaturesForAddress: no node answers');
  const needed = votesNeeded(nodes.length);
  const found = new Map<string, Vote[]>();
  for (const { entries } of told) {
    // A node has one vote, however often it lists a transaction.
    const voted = new Set<string>();
    for (const [rank, { signature, slot, err }] of entries.entries()) {
      if (slot > horizon || voted.has(signature)) continue;
      voted.add(signature);
      found.set(signature, [...(found.get(signature) ?? []), { slot, rank, failed: err !== null }]);
    }
  }
  const transactions = [...found]
    .flatMap(([transactionId, votes]) => listedBy(transactionId, votes, needed))
    .toSorted(
      (one, other) =>
        Number(other.isAgreed) - Number(one.isAgreed) || Number(one.slot - other.slot) || other.rank - one.rank,
    )
    .map(({ transactionId, slot, hasFailed, isAgreed }) => ({ transactionId, slot, hasFailed, isAgreed }));
  return {
    transactions,
    isWhole: told.filter(({ isWhole }) => isWhole).length >= needed,
    isFlooded: told.some(({ isWhole }) => !isWhole),
  };
}

/**
 * The slot is that of a quorum: a node that tells another one could have the cursor pass an older transaction. None for one
 * that a node alone says has failed.
 */
function listedBy(
  transactionId: string,
  votes: readonly Vote[],
  needed: number,
): readonly (ListedTransaction & { readonly rank: number })[] {
  const alike = majorityOf(votes, ({ slot }) => `${slot}`) ?? [];
  const isAgreed = alike.length >= needed;
  const hasFailed = votes.every(({ failed }) => failed);
  const [first] = isAgreed ? alike : votes;
  if (first === undefined || (hasFailed && !isAgreed)) return [];
  return [{ transactionId, slot: first.slot, rank: first.rank, hasFailed, isAgreed }];
}

async function read(nodes: readonly SolanaNode[], transactionId: string): Promise<ReferredTransaction> {
  const views = await askEvery(nodes, async (node) => {
    const told = await node.transaction(transactionId, 'finalized');
    if (told === null) return { kind: 'absent' } as const;
    const movement = await readMovement(told);
    return movement === null ? ({ kind: 'failed' } as const) : ({ kind: 'moved', movement } as const);
  });
  const agreed = majorityOf(views, keyOf, views.length);
  if (agreed === undefined || agreed.length < votesNeeded(nodes.length)) return { kind: 'unknown' };
  return agreed[0];
}

function keyOf(view: ReferredTransaction): string {
  if (view.kind !== 'moved') return view.kind;
  const { changes, blockTimeSeconds, ...movement } = view.movement;
  const inOrder = changes.map(viewKey).toSorted();
  // The time decides whether a payment was in time: no single node tells it.
  return viewKey({ ...movement, time: `${blockTimeSeconds}`, changes: inOrder });
}
