// A lane on Solana. Each transaction carries one payment, signed by its payer before it came here: the lane adds the
// relayer's signature, offers the same bytes until they land or can't any more, and never makes others of them.
import type { FlyingBatch, LaneChain, LaneItem, MinedBatch, Rehearsal } from '@svc-pay/core';
import { findFate } from '../confirm/find-fate.ts';
import { askEvery, askFirst } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import { coSignItem } from './co-sign-item.ts';
import { lifetimeOf } from './item-terms.ts';
import { minedBatchOf } from './mined-batch.ts';
import { rehearseItem } from './rehearse-item.ts';

/** Two signatures, and the dearest priority fee that is accepted. */
const DEAREST_LAMPORTS = 15_000n;
/** What the chain wants to stay on an account. */
const RENT_LAMPORTS = 890_880n;
/** What a node answers at once. */
const MOST_STATUSES = 256;
/** Numbers only count the transactions here: every one of them is free. */
const ANY_NONCE = { lowest: 0n, highest: 2n ** 63n - 1n };

export type LaneChainOptions = { readonly nodes: readonly SolanaNode[]; readonly signer: RelayerSigner };

export function createLaneChain({ nodes, signer }: LaneChainOptions): LaneChain {
  return {
    expiring: true,
    fit: (queue) => ({ items: queue.slice(0, 1), full: true }),
    rehearse: async (items): Promise<Rehearsal> => {
      const outcome = await rehearseItem(nodes, only(items), signer);
      // A transaction's age is counted in blocks: the lane's clock has no say in it.
      const chainTimeSeconds = 0n;
      if (outcome !== 'no_gas') return { ok: true, outcomes: [outcome], chainTimeSeconds };
      return { ok: false, cause: 'not_enough_gas', reason: 'the relayer has too little SOL', chainTimeSeconds };
    },
    sign: async (items) => {
      const signed = await coSignItem(only(items), signer);
      if (signed === undefined) throw new Error(`payment ${only(items).paymentId} changed between two looks`);
      return { transactionId: signed.transactionId, raw: signed.wire };
    },
    raise: async () => undefined,
    affords: async (transactions) => {
      const [account] = await askFirst(nodes, (node) => node.accounts([signer.address]));
      return (account?.lamports ?? 0n) >= RENT_LAMPORTS + DEAREST_LAMPORTS * BigInt(transactions.length);
    },
    broadcast: async (raw) => {
      const answers = await Promise.all(nodes.map((node) => node.send(raw)));
      // One that refuses may have passed it on: never `not_sent`.
      return { outcome: answers.some(({ outcome }) => outcome === 'known') ? 'known' : 'unknown' };
    },
    findMined: async (batches) => {
      const seen = await withStatus(nodes, batches);
      const mined = await Promise.all(seen.map((batch) => findOne(nodes, batch)));
      return mined.filter((found) => found !== undefined);
    },
    findReplaced: async (batches) => {
      // One question for all of them: most are young, and need no further one.
      const height = await askFirst(nodes, (node) => node.blockHeight('finalized'));
      const old = batches.filter((batch) => flyingOf(batch).lifetime.lastValidBlockHeight < height);
      const fates = await Promise.all(old.map((batch) => findFate(nodes, flyingOf(batch))));
      return old.filter((_, index) => fates[index]?.kind === 'expired').map(({ id }) => id);
    },
    minedNonce: async () => 0n,
    nonceRange: async () => ANY_NONCE,
  };
}

function only([item, ...others]: readonly LaneItem[]): LaneItem {
  if (item === undefined || others.length > 0) throw new Error('a transaction carries one payment');
  return item;
}

function flyingOf({ id, items, transactions }: FlyingBatch) {
  const [transaction] = transactions;
  if (transaction === undefined) throw new Error(`batch ${id} has no transaction`);
  return { transactionId: transaction.transactionId, lifetime: lifetimeOf(only(items)) };
}

/** Those of which any node has heard, by a few questions for all of them. */
async function withStatus(
  nodes: readonly SolanaNode[],
  batches: readonly FlyingBatch[],
): Promise<readonly FlyingBatch[]> {
  const seen: FlyingBatch[] = [];
  for (let at = 0; at < batches.length; at += MOST_STATUSES) {
    const some = batches.slice(at, at + MOST_STATUSES);
    const ids = some.map((batch) => flyingOf(batch).transactionId);
    const answers = await askEvery(nodes, (node) => node.statuses(ids));
    seen.push(...some.filter((_, index) => answers.some((statuses) => statuses[index] !== null)));
  }
  return seen;
}

async function findOne(nodes: readonly SolanaNode[], batch: FlyingBatch): Promise<MinedBatch | undefined> {
  const flying = flyingOf(batch);
  const fate = await findFate(nodes, flying);
  if (fate.kind !== 'landed' && fate.kind !== 'failed') return undefined;
  return minedBatchOf(batch, flying.transactionId, fate);
}
