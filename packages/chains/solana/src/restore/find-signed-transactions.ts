// Finds the final transactions that name a relayer, by its list of signatures. Every node is asked: one that leaves a
// transaction out hides nothing that another one has, and one that makes one up is found out when its bytes are read.
import { ChainUnavailable, type FoundTransfer } from '@svc-pay/core';
import { askEvery } from '../rpc/ask-nodes.ts';
import { MOST_SIGNATURES, type SolanaNode } from '../rpc/solana-node.ts';

/** Successful ones only, oldest first. A failed transaction was charged for and moved no money. */
export async function findSignedTransactions(
  nodes: readonly SolanaNode[],
  address: string,
  fromSlot: bigint | undefined,
): Promise<readonly FoundTransfer[]> {
  const told = await askEvery(nodes, async (node) => ({
    reachesBack: fromSlot === undefined || (await node.firstAvailableSlot()) <= fromSlot,
    found: await walk(node, address, fromSlot ?? 0n),
  }));
  if (!told.some(({ reachesBack }) => reachesBack))
    throw new ChainUnavailable(`no node has the transactions of ${address} back to slot ${fromSlot ?? 'any'}`);
  const slots = new Map(told.flatMap(({ found }) => found.map(({ transactionId, slot }) => [transactionId, slot])));
  const all = [...slots].map(([transactionId, slot]) => ({ transactionId, slot }));
  return all.toSorted((one, other) => Number(one.slot - other.slot));
}

/** The lists of one node, page by page. Throws for a list that does not go back in time: it would never end. */
async function walk(node: SolanaNode, address: string, fromSlot: bigint): Promise<readonly FoundTransfer[]> {
  const found = new Map<string, FoundTransfer>();
  let before: string | undefined;
  let lowest: bigint | undefined;
  for (;;) {
    const page = await node.signatures(address, before);
    for (const { signature, slot, err } of page) {
      if (lowest !== undefined && slot > lowest)
        throw new ChainUnavailable(`getSignaturesForAddress: slot ${slot} comes after slot ${lowest}`);
      lowest = slot;
      if (slot < fromSlot) return [...found.values()];
      if (err === null) found.set(signature, { transactionId: signature, slot });
    }
    const last = page.at(-1)?.signature;
    if (last === undefined || page.length < MOST_SIGNATURES) return [...found.values()];
    if (last === before) throw new ChainUnavailable('getSignaturesForAddress: the node told the same page again');
    before = last;
  }
}
