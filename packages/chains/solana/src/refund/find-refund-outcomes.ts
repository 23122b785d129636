// What became of open refunds, by final blocks alone. A transaction of ours is asked for by its id. One that never got an
// id, or that the database lost, is looked for by its reference.
import { isLateRefund, mapConcurrent, type OpenRefund, type RefundOutcome } from '@svc-pay/core';
import { refundReference } from '@svc-pay/protocol/solana';
import { findTransactionOutcome } from '../finality/find-transaction-outcome.ts';
import type { TransactionOutcome } from '../finality/transaction-outcome.ts';
import { provesTransfer } from '../prove/proves-transfer.ts';
import { askEvery } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import { findReferred, reachingBack } from './find-referred.ts';
import { judgeReported } from './judge-reported.ts';
import { paidSlotOf } from './paid-slot.ts';
import { placeOf } from './place-of.ts';
import { refundTerms } from './refund-terms.ts';
import { type StoredSolanaRefund, storedRefund } from './stored-refund.ts';
import { tokenProgramOf } from './token-program-of.ts';

const OPEN: RefundOutcome = { outcome: 'open' };
const EXPIRED: RefundOutcome = { outcome: 'void', reason: 'expired' };
const NOT_FOUND: RefundOutcome = { outcome: 'void', reason: 'not_found' };
const CANCELED: RefundOutcome = { outcome: 'void', reason: 'canceled' };
const MOST_AT_ONCE = 8;

/** In the order given. Throws `ChainUnavailable` when the chain can't be asked about one of them. */
export async function findRefundOutcomes(
  nodes: readonly SolanaNode[],
  refunds: readonly OpenRefund[],
  nowMs: number,
): Promise<readonly RefundOutcome[]> {
  return mapConcurrent(MOST_AT_ONCE, refunds, (refund) => findOutcome(nodes, refund, nowMs));
}

async function findOutcome(nodes: readonly SolanaNode[], refund: OpenRefund, nowMs: number): Promise<RefundOutcome> {
  if (refund.kind === 'reported') return judgeReported(nodes, refund, nowMs);
  if (refund.transfer === null) return findLost(nodes, refund, nowMs);
  const sent = refund.signedTransactionIds.at(-1) ?? refund.transactionId;
  const stored = storedRefund(refund);
  return sent === null ? findUnsent(nodes, stored) : findSent(nodes, stored, sent);
}

async function findSent(
  nodes: readonly SolanaNode[],
  stored: StoredSolanaRefund,
  transactionId: string,
): Promise<RefundOutcome> {
  const outcome = await findTransactionOutcome(nodes, { transactionId, lifetime: stored.lifetime });
  if (outcome.kind === 'expired') return EXPIRED;
  if (outcome.kind === 'unknown' || outcome.commitment !== 'finalized') return OPEN;
  // It was charged for, and the same bytes never run again.
  if (outcome.kind === 'failed') return EXPIRED;
  return judgeLanded(stored, transactionId, outcome);
}

type Landed = Extract<TransactionOutcome, { readonly kind: 'landed' | 'failed' }>;

/** Open where balances do not prove what the bytes say: a node shows them wrongly, and another answer may come. */
async function judgeLanded(
  stored: StoredSolanaRefund,
  transactionId: string,
  { landing }: Landed,
): Promise<RefundOutcome> {
  const terms = refundTerms(stored.transfer);
  const [leg] = terms.legs;
  if (leg === undefined || !(await provesTransfer(landing, terms))) return OPEN;
  const { payer: wallet } = terms;
  const { owner: recipient, amountAtomic } = leg;
  return { outcome: 'transferred', ...placeOf(transactionId, landing), wallet, recipient, amountAtomic };
}

/**
 * No relayer signed it, or the database forgot its batch. It is over when it can't land any more and no transaction with its
 * reference is it. The height comes before the list: read afterwards, it may have advanced while a transaction landed.
 */
async function findUnsent(nodes: readonly SolanaNode[], stored: StoredSolanaRefund): Promise<RefundOutcome> {
  const { lifetime, transfer } = stored;
  const told = await askEvery(nodes, async (node) => ({ node, height: await node.blockHeight('finalized') }));
  const isOver = told.length > 0 && told.every(({ height }) => height > lifetime.lastValidBlockHeight);
  if (!isOver) return OPEN;
  // Only these: the list of a node that is behind may lack the newest.
  const ahead = told.map(({ node }) => node);
  const { wallet, nonce, mint, tokenProgram } = transfer;
  const question = { wallets: [wallet], mint, tokenProgram };
  const { transfers, listedBy } = await findReferred(ahead, refundReference(nonce), question);
  for (const { transactionId } of transfers) {
    const found = await findSent(ahead, stored, transactionId);
    if (found.outcome === 'transferred') return found;
  }
  return (await reachingBack(listedBy, lifetime.slot)).length > 0 ? EXPIRED : OPEN;
}

/**
 * A refund that the database lost: what the recipient got of the wallet's tokens under its reference. Void where they all
 * went elsewhere, or where it never was.
 */
async function findLost(nodes: readonly SolanaNode[], refund: OpenRefund, nowMs: number): Promise<RefundOutcome> {
  const { wallet, recipient, asset: mint, nonce } = refund;
  if (nonce === null) throw new Error(`refund ${refund.id} has no nonce`);
  const tokenProgram = await tokenProgramOf(nodes, mint);
  const question = { wallets: [wallet], mint, tokenProgram };
  const { transfers: referred, listedBy } = await findReferred(nodes, refundReference(nonce), question);
  const paidSlot = await paidSlotOf(nodes, refund.payment);
  // A refund comes after its payment.
  const transfers = referred.filter(({ landing }) => paidSlot === undefined || landing.slot > paidSlot);
  if (transfers.length === 0) {
    const isOver = isLateRefund(refund, nowMs) && listedBy.length === nodes.length;
    return isOver && (await neverWas(nodes, paidSlot)) ? NOT_FOUND : OPEN;
  }
  const own = await tokenAccountOf(recipient, mint, tokenProgram);
  const found = transfers.find(({ gains }) => (gains.get(own) ?? 0n) > 0n);
  if (found === undefined) return CANCELED;
  const { transactionId, landing, gains } = found;
  const amountAtomic = gains.get(own) ?? 0n;
  return { outcome: 'transferred', ...placeOf(transactionId, landing), wallet, recipient, amountAtomic };
}

/**
 * Whether an empty list of every node proves that no refund was made. The nodes agreed once that it was final. A node that
 * forgot it lists none either, so each one must have all that landed since the payment.
 */
async function neverWas(nodes: readonly SolanaNode[], paidSlot: bigint | undefined): Promise<boolean> {
  if (paidSlot === undefined) return false;
  return (await reachingBack(nodes, paidSlot)).length === nodes.length;
}
