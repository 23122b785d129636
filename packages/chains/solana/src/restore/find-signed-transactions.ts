// Finds the final transactions that name a relayer, by its list of signatures. Every node is asked: one that leaves a
// transaction out hides nothing that another one has, and one that makes one up is found out when its bytes are read.
import { ChainUnavailable, type FoundTransfer } from '@svc-pay/core';
import { askEvery } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';

/**
 * Successful ones only, oldest first. A failed transaction was charged for and moved no money. At least one node must have
 * the whole list: it is final up to `toSlot`, its history reaches back to `fromSlot`, and its pages have no gap.
 */
export async function findSignedTransactions(
  nodes: readonly SolanaNode[],
  address: string,
  fromSlot: bigint | undefined,
  toSlot = 0n,
): Promise<readonly FoundTransfer[]> {
  const told = await askEvery(nodes, async (node) => {
    // Asked before the list: what becomes final afterwards need not be in it.
    const isFinal = (await node.slot('finalized')) >= toSlot;
    const { found, ended } = await walk(node, address, fromSlot ?? 0n);
    // Asked after the list: a node drops old blocks while it is read.
    const reachesBack = fromSlot === undefined || (await node.firstAvailableSlot()) <= fromSlot;
    return { found, isWhole: isFinal && ended && reachesBack };
  });
  if (!told.some(({ isWhole }) => isWhole))
    throw new ChainUnavailable(
      `no node has all transactions of ${address} from slot ${fromSlot ?? 'any'} to slot ${toSlot}`,
    );
  const slots = new Map(told.flatMap(({ found }) => found.map(({ transactionId, slot }) => [transactionId, slot])));
  const all = [...slots].map(([transactionId, slot]) => ({ transactionId, slot }));
  return all.toSorted((one, other) => Number(one.slot - other.slot));
}

type Walked = {
  readonly found: readonly FoundTransfer[];
  /** The node told everything that it has from the slot on. */
  readonly ended: boolean;
};

/**
 * The lists of one node, page by page. Nodes may tell fewer than asked for, so only an empty page or an older slot is the end.
 * Throws for a list that does not go back in time: it would never end.
 */
async function walk(node: SolanaNode, address: string, fromSlot: bigint): Promise<Walked> {
  const found = new Map<string, FoundTransfer>();
  const passed = new Set<string>();
  let before: string | undefined;
  let lowest: bigint | undefined;
  for (;;) {
    const page = await node.signatures(address, before);
    for (const { signature, slot, err } of page) {
      if (lowest !== undefined && slot > lowest)
        throw new ChainUnavailable(`getSignaturesForAddress: slot ${slot} comes after slot ${lowest}`);
      lowest = slot;
      if (slot < fromSlot) return { found: [...found.values()], ended: true };
      if (err === null) found.set(signature, { transactionId: signature, slot });
    }
    const last = page.at(-1)?.signature;
    if (last === undefined) return { found: [...found.values()], ended: await knows(node, before) };
    if (passed.has(last)) throw new ChainUnavailable('getSignaturesForAddress: the node told the same page again');
    passed.add(last);
    before = last;
  }
}

/** Behind one address there may be several servers: one that lacks the last transaction answers with an empty page too. */
async function knows(node: SolanaNode, transactionId: string | undefined): Promise<boolean> {
  if (transactionId === undefined) return true;
  const [status] = await node.statuses([transactionId]);
  return status !== null && status !== undefined;
}
