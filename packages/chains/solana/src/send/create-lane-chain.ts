// A lane's chain on Solana. Each transaction carries one payment and comes here signed by its payer: the lane adds the
// relayer's signature, broadcasts the same bytes until they land or expire, and never builds another transaction.
import type { ExpiringChain, SimulationResult } from '@svc-pay/core';
import { findExpired, findMined, only } from '../finality/find-batches.ts';
import { dearestOf, RENT_LAMPORTS } from '../finality/relayer-balance.ts';
import { askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import { createItemSigner } from './co-sign-item.ts';
import { createFailedLately } from './failed-lately.ts';
import { simulateItem } from './simulate-item.ts';
import { createSpentTransactions } from './spent-transactions.ts';

export type LaneChainOptions = { readonly nodes: readonly SolanaNode[]; readonly signer: RelayerSigner };

export function createLaneChain({ nodes, signer }: LaneChainOptions): ExpiringChain {
  const items = createItemSigner(signer);
  const [spent, failedLately] = [createSpentTransactions(), createFailedLately()];
  const simulation = { nodes, signer: items, spent, failedLately };
  return {
    kind: 'expiring',
    simulate: async (queued): Promise<SimulationResult> => {
      const outcome = await simulateItem(simulation, only(queued));
      // A transaction's age is counted in blocks, so chain time plays no role.
      const chainTimeSeconds = 0n;
      if (outcome !== 'no_gas') return { ok: true, outcomes: [outcome], chainTimeSeconds };
      return { ok: false, cause: 'not_enough_gas', reason: 'the relayer has too little SOL', chainTimeSeconds };
    },
    sign: async (queued) => {
      const signed = await items.signed(only(queued));
      if (signed === undefined)
        throw new Error(`payment ${only(queued).paymentId} was simulated and can no longer be signed`);
      return { transactionId: signed.transactionId, raw: signed.wire };
    },
    affords: async (transactions) => {
      const paid = transactions.filter(({ transactionId }) => !spent.costsNothing(transactionId));
      if (paid.length === 0) return true;
      const [account] = await askFirst(nodes, (node) => node.accounts([signer.address]));
      const wanted = paid.reduce((sum, { raw }) => sum + dearestOf(raw), RENT_LAMPORTS);
      return (account?.lamports ?? 0n) >= wanted;
    },
    broadcast: async (raw) => {
      const answers = await Promise.all(nodes.map((node) => node.send(raw)));
      // A node that refuses may have forwarded the transaction, so the outcome is never `not_sent`.
      return { outcome: answers.some(({ outcome }) => outcome === 'known') ? 'known' : 'unknown' };
    },
    findMined: async (batches) => {
      const mined = await findMined(nodes, batches);
      // A payment ends with its failed transaction. A refund is queued again, and what failed is not sent once more.
      for (const { reverted, transactionId } of mined) {
        if (!reverted) continue;
        spent.giveUp(transactionId);
        failedLately.note();
      }
      return mined;
    },
    findExpired: async (batches) => {
      const expired = await findExpired(nodes, batches);
      for (const { id, transactions } of batches)
        if (expired.includes(id)) for (const { transactionId } of transactions) spent.giveUp(transactionId);
      return expired;
    },
  };
}
