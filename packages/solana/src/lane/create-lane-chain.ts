// A lane on Solana. Each transaction carries one payment, signed by its payer before it came here: the lane adds the
// relayer's signature, offers the same bytes until they land or can't any more, and never makes others of them.
import type { LaneChain, Rehearsal } from '@svc-pay/core';
import { askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import { createCoSigner } from './co-sign-item.ts';
import { findExpired, findMined, only } from './find-batches.ts';
import { dearestOf, RENT_LAMPORTS } from './float.ts';
import { rehearseItem } from './rehearse-item.ts';

/** Numbers only count the transactions here: every one of them is free. */
const ANY_NONCE = { lowest: 0n, highest: 2n ** 63n - 1n };

export type LaneChainOptions = { readonly nodes: readonly SolanaNode[]; readonly signer: RelayerSigner };

export function createLaneChain({ nodes, signer }: LaneChainOptions): LaneChain {
  const coSign = createCoSigner(signer);
  return {
    expiring: true,
    fit: (queue) => ({ items: queue.slice(0, 1), full: true }),
    rehearse: async (items): Promise<Rehearsal> => {
      const outcome = await rehearseItem(nodes, only(items), coSign);
      // A transaction's age is counted in blocks: the lane's clock has no say in it.
      const chainTimeSeconds = 0n;
      if (outcome !== 'no_gas') return { ok: true, outcomes: [outcome], chainTimeSeconds };
      return { ok: false, cause: 'not_enough_gas', reason: 'the relayer has too little SOL', chainTimeSeconds };
    },
    sign: async (items) => {
      const signed = await coSign(only(items));
      if (signed === undefined) throw new Error(`payment ${only(items).paymentId} changed between two looks`);
      return { transactionId: signed.transactionId, raw: signed.wire };
    },
    raise: async () => undefined,
    affords: async (transactions) => {
      const [account] = await askFirst(nodes, (node) => node.accounts([signer.address]));
      const wanted = transactions.reduce((sum, { raw }) => sum + dearestOf(raw), RENT_LAMPORTS);
      return (account?.lamports ?? 0n) >= wanted;
    },
    broadcast: async (raw) => {
      const answers = await Promise.all(nodes.map((node) => node.send(raw)));
      // One that refuses may have passed it on: never `not_sent`.
      return { outcome: answers.some(({ outcome }) => outcome === 'known') ? 'known' : 'unknown' };
    },
    findMined: (batches) => findMined(nodes, batches),
    findReplaced: (batches) => findExpired(nodes, batches),
    minedNonce: async () => 0n,
    nonceRange: async () => ANY_NONCE,
  };
}
