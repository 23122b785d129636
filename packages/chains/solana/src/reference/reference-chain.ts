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
import type { SolanaNode } from '../rpc/solana-node.ts';
import { readMovement } from './read-movement.ts';
import { referenceOf } from './reference-key.ts';

/** One answer has up to 1,000 signatures. */
const MOST_PAGES = 10;

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
        list: (reference, after) => list(fit, horizon, reference, after),
        read: (transactionId) => read(fit, transactionId),
      };
    },
  };
}

type Listed = { readonly slot: bigint; readonly rank: number; readonly failed: number; readonly votes: number };

async function list(
  nodes: readonly SolanaNode[],
  horizon: bigint,
  reference: string,
  after: string | null,
): Promise<ListedTransactions> {
  const told = await askEvery(nodes, (node) => listOf(node, reference, after));
  if (told.length === 0) throw new ChainUnavailable('getSignaturesForAddress: no node answers');
  const needed = votesNeeded(nodes.length);
  const found = new Map<string, Listed>();
  for (const { entries } of told) {
    // A node has one vote, however often it lists a transaction.
    const voted = new Set<string>();
    for (const [index, { signature, slot, err }] of entries.entries()) {
      if (slot > horizon || voted.has(signature)) continue;
      voted.add(signature);
      const known = found.get(signature) ?? { slot, rank: index, failed: 0, votes: 0 };
      found.set(signature, { ...known, votes: known.votes + 1, failed: known.failed + (err === null ? 0 : 1) });
    }
  }
  const transactions = [...found]
    .toSorted(([, one], [, other]) => Number(one.slot - other.slot) || other.rank - one.rank)
    .flatMap(([transactionId, { failed, votes }]): ListedTransaction[] => {
      const hasFailed = failed === votes;
      const isAgreed = votes >= needed;
      return hasFailed && !isAgreed ? [] : [{ transactionId, hasFailed, isAgreed }];
    })
    .toSorted((one, other) => Number(other.isAgreed) - Number(one.isAgreed));
  return {
    transactions,
    isWhole: told.filter(({ isWhole }) => isWhole).length >= needed,
    isFlooded: told.some(({ isWhole }) => !isWhole),
  };
}

type Entries = Awaited<ReturnType<SolanaNode['signatures']>>;

/** Newest first. Nodes may tell fewer than asked for, so only an empty page is the end. */
async function listOf(
  node: SolanaNode,
  reference: string,
  after: string | null,
): Promise<{ readonly entries: Entries; readonly isWhole: boolean }> {
  const entries: Entries[number][] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const told = await node.signatures(reference, entries.at(-1)?.signature, after ?? undefined);
    if (told.length === 0) return { entries, isWhole: true };
    entries.push(...told);
  }
  return { entries, isWhole: false };
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
