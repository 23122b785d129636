// TransferRestoreChain over the nodes of one network.
import {
  ChainUnavailable,
  type FoundTransfer,
  mapConcurrent,
  type RestoreFindMined,
  type TransferPayout,
  type TransferReading,
  type TransferRestoreChain,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { findMined } from '../finality/find-batches.ts';
import { askEvery } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { findAnySigned, findSignedTransactions } from './find-signed-transactions.ts';
import { readTransfer } from './read-transfer.ts';

const MOST_AT_ONCE = 16;

export function createTransferRestoreChain(
  nodes: readonly SolanaNode[],
  network: NetworkId,
): TransferRestoreChain & RestoreFindMined {
  const readTransfers: TransferRestoreChain['readTransfers'] = async (relayer, found, payouts) => {
    const { highest } = await readHeights(nodes, network);
    const wanted = { nodes, network, relayer, payouts, height: highest };
    return mapConcurrent(MOST_AT_ONCE, found, (one) => readFromAny({ ...wanted, found: one }));
  };
  return {
    readHeights: () => readHeights(nodes, network),
    findTransactions: (relayer, fromSlot, toSlot) => findSignedTransactions(nodes, relayer, fromSlot, toSlot),
    findAnyPayment: (relayer, toSlot) =>
      findAnySigned(nodes, relayer, toSlot, async (page) =>
        (await readTransfers(relayer, page, [])).some(({ kind }) => kind !== 'other'),
      ),
    readTransfers,
    findMined: (batches) => findMined(nodes, batches),
  };
}

async function readHeights(nodes: readonly SolanaNode[], network: NetworkId) {
  const told = await askEvery(nodes, async (node) => ({
    finalizedSlot: await node.slot('finalized'),
    finalized: await node.blockHeight('finalized'),
    highest: await node.blockHeight('processed'),
  }));
  const [first, ...others] = told;
  if (first === undefined) throw new ChainUnavailable(`no node of ${network} tells its height`);
  return others.reduce(
    (all, one) => ({
      ...(one.finalized < all.finalized ? one : all),
      highest: one.highest > all.highest ? one.highest : all.highest,
    }),
    first,
  );
}

type Wanted = {
  readonly nodes: readonly SolanaNode[];
  readonly network: NetworkId;
  readonly relayer: string;
  readonly found: FoundTransfer;
  readonly payouts: readonly TransferPayout[];
  readonly height: bigint;
};

/**
 * One node suffices: the relayer's signature is under the bytes. A node without them, or with others, is passed over. One
 * transaction that no node returns, or that a node made up, does not stop the others.
 */
async function readFromAny({ nodes, ...wanted }: Wanted): Promise<TransferReading> {
  let reason = 'no node returns its bytes';
  for (const node of nodes) {
    try {
      const told = await node.wire(wanted.found.transactionId);
      if (told !== null) return await readTransfer({ ...wanted, told });
    } catch (problem) {
      if (!(problem instanceof ChainUnavailable)) throw problem;
      reason = `no node returns its bytes (${problem.message})`;
    }
  }
  return { kind: 'unread', reason };
}
