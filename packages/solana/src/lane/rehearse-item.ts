// Plays a payment against the chain. Until the relayer's signature has left the machine nothing can come of it, so a
// refusal here costs the payer a new signature and nobody any money.
import { ChainUnavailable, type ItemOutcome, type LaneItem } from '@svc-pay/core';
import type { Fate } from '../confirm/fate.ts';
import { findFate } from '../confirm/find-fate.ts';
import { receiptOf } from '../message/program-accounts.ts';
import { askEvery } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import type { CoSigned } from '../signer/co-sign.ts';
import { lifetimeOf } from './item-terms.ts';
import { outcomeOfError } from './outcome-of-error.ts';
import { messageTermsOf } from './sign-message-item.ts';

/** `no_gas`: the relayer can't pay for it. */
export type ItemRehearsal = ItemOutcome | 'unsure' | 'no_gas';

export async function rehearseItem(
  nodes: readonly SolanaNode[],
  item: LaneItem,
  coSign: (item: LaneItem) => Promise<CoSigned | undefined>,
): Promise<ItemRehearsal> {
  const signed = await coSign(item);
  if (signed === undefined) return 'malformed';
  const { wire } = signed;
  const outcomes = await askEvery(nodes, (node) => rehearseAt(node, item, wire));
  const [first] = outcomes;
  if (first === undefined) throw new ChainUnavailable('no node played the transaction');
  // The chain has it, or has had it: what it made of it is asked for, and never guessed.
  if (outcomes.some((outcome) => outcome === 'expired' || outcome === 'authorization_used')) {
    const ended = endedAs(await findFate(nodes, { transactionId: signed.transactionId, lifetime: lifetimeOf(item) }));
    return ended === 'expired' && (await isTextUsed(nodes, item)) ? 'authorization_used' : ended;
  }
  return outcomes.every((outcome) => outcome === first) ? first : 'unsure';
}

/**
 * Nobody else can make these bytes, so what is on the chain already is this payment: it goes the way of every other one,
 * stored, offered again to no effect, and recorded by what the balances say.
 */
function endedAs({ kind }: Fate): ItemRehearsal {
  if (kind === 'landed' || kind === 'failed') return 'settled';
  return kind === 'expired' ? 'expired' : 'unsure';
}

/** A receipt that this lane's transaction did not make: somebody else has the relayer's key, and the money has moved. */
async function isTextUsed(nodes: readonly SolanaNode[], item: LaneItem): Promise<boolean> {
  if (item.kind !== 'solana_message') return false;
  const terms = messageTermsOf(item);
  const { address } = await receiptOf(terms);
  const seen = await askEvery(nodes, async (node) => (await node.accounts([address]))[0]);
  return seen.some((account) => account?.owner === terms.program);
}

async function rehearseAt(node: SolanaNode, item: LaneItem, wire: Uint8Array): Promise<ItemRehearsal> {
  const played = await node.simulate(wire);
  if (played.ok) return 'settled';
  if (played.error !== 'BlockhashNotFound') return outcomeOfError(played.error);
  // A node that is behind does not know a blockhash yet; one that is past its last height has forgotten it.
  const height = await node.blockHeight('confirmed');
  return height > lifetimeOf(item).lastValidBlockHeight ? 'expired' : 'unsure';
}
