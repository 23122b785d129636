// Simulates a payment's transaction before the relayer signs it. Nodes get it without the relayer's signature, so
// nobody can send it: a refusal here costs the payer a new signature and moves no money.
import { ChainUnavailable, type LaneItem, type SimulatedOutcome } from '@svc-pay/core';
import { findTransactionOutcome } from '../finality/find-transaction-outcome.ts';
import { outcomeOfError } from '../finality/outcome-of-error.ts';
import type { TransactionOutcome } from '../finality/transaction-outcome.ts';
import { messageTermsOf } from '../message/build-message-item.ts';
import { receiptOf } from '../message/program-accounts.ts';
import { askEvery } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { lifetimeOf } from '../transfer/item-terms.ts';
import type { ItemSigner } from './co-sign-item.ts';
import type { FailedLately } from './failed-lately.ts';
import type { SpentTransactions } from './spent-transactions.ts';

/** `no_gas`: the relayer cannot pay for the transaction. */
export type ItemSimulation = SimulatedOutcome | 'no_gas';

export type LaneSimulation = {
  readonly nodes: readonly SolanaNode[];
  readonly signer: ItemSigner;
  readonly spent: SpentTransactions;
  readonly failedLately: FailedLately;
};

export async function simulateItem(lane: LaneSimulation, item: LaneItem): Promise<ItemSimulation> {
  const { signer } = lane;
  const unsigned = await signer.unsigned(item);
  if (unsigned === undefined) return 'malformed';
  const outcomes = await simulateAtNodes(lane, item, unsigned);
  const [first] = outcomes;
  if (first === undefined) throw new ChainUnavailable('no node played the transaction');
  // The chain has, or had, the transaction: its outcome is read, never guessed.
  if (outcomes.some((outcome) => outcome === 'expired' || outcome === 'authorization_used'))
    return simulateSpent(lane, item);
  const agreed = outcomes.every((outcome) => outcome === first) ? first : 'unsure';
  if (agreed !== 'settled') return agreed;
  // It is not sent, and ends when it can no longer land.
  if (item.payout.withdrawn) return 'withdrawn';
  return (await wasGivenUp(lane, item)) ? simulateSpent(lane, item) : agreed;
}

/** A node that still sees it pass is wrong: every node has called it expired, or it has failed on chain. */
async function wasGivenUp({ signer, spent }: LaneSimulation, item: LaneItem): Promise<boolean> {
  const signed = await signer.signed(item);
  return signed !== undefined && spent.wasGivenUp(signed.transactionId);
}

/**
 * A transaction's id is the relayer's signature: a node that is asked for the id can complete the transaction it
 * simulated. So the bytes are stored and sent first, like any others, and their outcome is judged only once the lane
 * has given them up.
 */
async function simulateSpent({ nodes, signer, spent }: LaneSimulation, item: LaneItem): Promise<ItemSimulation> {
  const signed = await signer.signed(item);
  if (signed === undefined) return 'malformed';
  const { transactionId } = signed;
  if (!spent.wasGivenUp(transactionId)) {
    spent.storeFirst(transactionId);
    return 'settled';
  }
  const ended = endedAs(item, await findTransactionOutcome(nodes, { transactionId, lifetime: lifetimeOf(item) }));
  return ended === 'expired' && (await isTextUsed(nodes, item)) ? 'authorization_used' : ended;
}

/**
 * Nobody else can make these bytes, so a transaction that is on chain is this payment: like any other it is stored,
 * sent again without effect, and recorded by its balance changes. A refund whose transaction failed is recorded already,
 * and its gas is booked once.
 */
function endedAs({ refund }: LaneItem, { kind }: TransactionOutcome): ItemSimulation {
  if (kind === 'failed' && refund !== undefined) return 'expired';
  if (kind === 'landed' || kind === 'failed') return 'settled';
  return kind === 'expired' ? 'expired' : 'unsure';
}

/** A receipt not made by this lane's transaction: somebody else has the relayer's key, and the money has moved. */
async function isTextUsed(nodes: readonly SolanaNode[], item: LaneItem): Promise<boolean> {
  if (item.kind !== 'solana_message') return false;
  const terms = messageTermsOf(item);
  const { address } = await receiptOf(terms);
  const seen = await askEvery(nodes, async (node) => (await node.accounts([address]))[0]);
  return seen.some((account) => account?.owner === terms.program);
}

/**
 * One node that sees the payment pass is enough to send it: at worst that costs a fee. After a transaction of the lane has failed on
 * chain every node is asked for a while, and always where a payment is not sent but may end.
 */
async function simulateAtNodes(
  { nodes, failedLately }: LaneSimulation,
  item: LaneItem,
  unsigned: Uint8Array,
): Promise<readonly ItemSimulation[]> {
  const ask = (some: readonly SolanaNode[]) => askEvery(some, (node) => simulateAt(node, item, unsigned));
  if (item.payout.withdrawn || failedLately.isSo()) return ask(nodes);
  for (const [place, node] of nodes.entries()) {
    const first = await ask([node]);
    if (first.length === 0) continue;
    return first.includes('settled') ? first : [...first, ...(await ask(nodes.slice(place + 1)))];
  }
  return [];
}

async function simulateAt(node: SolanaNode, item: LaneItem, unsigned: Uint8Array): Promise<ItemSimulation> {
  const played = await node.simulate(unsigned);
  if (played.ok) return 'settled';
  const outcome = played.error === 'BlockhashNotFound' ? 'expired' : outcomeOfError(played.error);
  if (outcome !== 'expired') return outcome;
  // A lagging node does not know a new blockhash yet, and a text may expire before its blockhash does.
  const height = await node.blockHeight('finalized');
  return height > lifetimeOf(item).lastValidBlockHeight ? 'expired' : 'unsure';
}
