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
  fromSlot: bigint,
  toSlot = 0n,
): Promise<readonly FoundTransfer[]> {
  const told = await askEvery(nodes, async (node) => {
    const found = new Map<string, FoundTransfer>();
    const isWhole = await isWholeList(node, { address, fromSlot, toSlot }, async (page) => {
      for (const one of page) found.set(one.transactionId, one);
      return 'more';
    });
    return { found: [...found.values()], isWhole };
  });
  if (!told.some(({ isWhole }) => isWhole))
    throw new ChainUnavailable(
      `no node has all transactions of ${address} from slot ${fromSlot} to slot ${toSlot}: put a node into rpcUrls whose history reaches back to slot ${fromSlot}`,
    );
  const slots = new Map(told.flatMap(({ found }) => found.map(({ transactionId, slot }) => [transactionId, slot])));
  const all = [...slots].map(([transactionId, slot]) => ({ transactionId, slot }));
  return all.toSorted((one, other) => Number(one.slot - other.slot));
}

/** One answer of a node has up to 1,000 signatures. Strangers may name the relayer in as many transactions as they pay for. */
const MOST_PAGES = 10;

/**
 * Whether a successful transaction of the address is a payment. `none` needs a node with the whole history of the chain; a
 * node that has dropped old blocks tells nothing of them. No more than a page is kept at a time.
 */
export async function findAnySigned(
  nodes: readonly SolanaNode[],
  address: string,
  toSlot: bigint,
  isPayment: (page: readonly FoundTransfer[]) => Promise<boolean>,
): Promise<'some' | 'none' | 'unknown'> {
  const told = await askEvery(nodes, async (node) => {
    let [some, pages] = [false, 0];
    const isWhole = await isWholeList(node, { address, fromSlot: 0n, toSlot }, async (page) => {
      pages += 1;
      some = await isPayment(page);
      return some || pages === MOST_PAGES ? 'enough' : 'more';
    });
    return { some, isWhole };
  });
  if (told.some(({ some }) => some)) return 'some';
  return told.some(({ isWhole }) => isWhole) ? 'none' : 'unknown';
}

type WantedList = { readonly address: string; readonly fromSlot: bigint; readonly toSlot: bigint };
type OnPage = (page: readonly FoundTransfer[]) => Promise<'more' | 'enough'>;

/** Whether the node told all that there is. */
async function isWholeList(node: SolanaNode, wanted: WantedList, onPage: OnPage): Promise<boolean> {
  const { address, fromSlot, toSlot } = wanted;
  // Asked before the list: what becomes final afterwards need not be in it.
  const isFinal = (await node.slot('finalized')) >= toSlot;
  const ended = await walk(node, address, fromSlot, onPage);
  // Asked after the list: a node drops old blocks while it is read.
  return isFinal && ended && (await node.firstAvailableSlot()) <= fromSlot;
}

/**
 * The lists of one node, page by page. Nodes may tell fewer than asked for, so only an empty page or an older slot is the end.
 * Throws for a list that does not go back in time: it would never end. True: the node told everything that it has from the
 * slot on.
 */
async function walk(node: SolanaNode, address: string, fromSlot: bigint, onPage: OnPage): Promise<boolean> {
  const passed = new Set<string>();
  let before: string | undefined;
  let lowest: bigint | undefined;
  for (;;) {
    const page = await node.signatures(address, before);
    const found: FoundTransfer[] = [];
    for (const { signature, slot, err } of page) {
      if (lowest !== undefined && slot > lowest)
        throw new ChainUnavailable(`getSignaturesForAddress: slot ${slot} comes after slot ${lowest}`);
      lowest = slot;
      if (slot >= fromSlot && err === null) found.push({ transactionId: signature, slot });
    }
    const more = (await onPage(found)) === 'more';
    const last = page.at(-1)?.signature;
    if (lowest !== undefined && lowest < fromSlot) return true;
    if (last === undefined) return knows(node, before);
    if (!more) return false;
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
