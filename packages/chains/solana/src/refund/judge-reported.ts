// Judges a transfer that the merchant made and reported: it counts when it is final, came from one of the merchant's wallets
// alone, reached the payer, and is later than the payment.
import { ChainUnavailable, isLateRefund, isOverdueReport, type OpenRefund, type RefundOutcome } from '@svc-pay/core';
import { REFUND_MEMO_PREFIX } from '@svc-pay/protocol/solana';
import { findTransactionOutcome } from '../finality/find-transaction-outcome.ts';
import type { Landing } from '../prove/read-balance-changes.ts';
import { readOutflow } from '../prove/read-outflow.ts';
import { askEvery } from '../rpc/ask-nodes.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import { memosIn } from '../verify/read-memo.ts';
import { base64Of, readTransaction } from '../verify/read-transaction.ts';
import { ENDLESS } from './find-referred.ts';
import { paidSlotOf } from './paid-slot.ts';
import { placeOf } from './place-of.ts';
import { tokenProgramOf } from './token-program-of.ts';

type ReportedRefund = Pick<
  OpenRefund,
  'id' | 'reported' | 'asset' | 'recipient' | 'wallets' | 'payment' | 'submittedAtMs' | 'createdAtMs'
>;

/** Base58 of 64 bytes. */
const TRANSACTION_ID = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

const OPEN: RefundOutcome = { outcome: 'open' };
const NO_TRANSFER: RefundOutcome = { outcome: 'void', reason: 'no_transfer' };
const NOT_FOUND: RefundOutcome = { outcome: 'void', reason: 'not_found' };

export async function judgeReported(
  nodes: readonly SolanaNode[],
  refund: ReportedRefund,
  nowMs: number,
): Promise<RefundOutcome> {
  const transactionId = refund.reported?.transactionId ?? '';
  // One malformed id would make a node refuse the question.
  if (!TRANSACTION_ID.test(transactionId)) return NOT_FOUND;
  const outcome = await findTransactionOutcome(nodes, { transactionId, lifetime: ENDLESS });
  const isLate = isLateRefund(refund, nowMs);
  if (outcome.kind !== 'landed' && outcome.kind !== 'failed')
    return isLate || (isOverdueReport(refund, nowMs) && (await isUnknown(nodes, transactionId))) ? NOT_FOUND : OPEN;
  if (outcome.commitment !== 'finalized') return OPEN;
  if (outcome.kind === 'failed') return { outcome: 'void', reason: 'reverted' };
  const judged = await judgeLanded(nodes, refund, transactionId, outcome.landing);
  return judged.outcome === 'open' && isLate ? NOT_FOUND : judged;
}

async function judgeLanded(
  nodes: readonly SolanaNode[],
  { asset: mint, recipient, wallets, payment, reported }: ReportedRefund,
  transactionId: string,
  landing: Landing,
): Promise<RefundOutcome> {
  const tokenProgram = await tokenProgramOf(nodes, mint);
  const outflow = await readOutflow(landing, { wallets, mint, tokenProgram });
  const gain = outflow?.gains.get(await tokenAccountOf(recipient, mint, tokenProgram)) ?? 0n;
  const place = placeOf(transactionId, landing);
  const isNamed = (reported?.logIndex ?? place.logIndex) === place.logIndex;
  if (outflow === undefined || gain <= 0n || !isNamed || payment.transactionId === null) return NO_TRANSFER;
  const paidSlot = await paidSlotOf(nodes, payment);
  if (paidSlot === undefined) return OPEN;
  if (landing.slot <= paidSlot || (await namesRefund(nodes, transactionId))) return NO_TRANSFER;
  return { outcome: 'transferred', ...place, wallet: outflow.wallet, recipient, amountAtomic: gain };
}

/** A transaction that names a refund of this service proves that refund, and no report of the same money beside it. */
async function namesRefund(nodes: readonly SolanaNode[], transactionId: string): Promise<boolean> {
  const told = await askEvery(nodes, (node) => node.wire(transactionId));
  if (told.every((one) => one === null)) throw new ChainUnavailable(`no node returns the bytes of ${transactionId}`);
  return told.some((one) => {
    const read = one === null ? undefined : readTransaction(base64Of(one.wire));
    const memos = read?.ok ? memosIn(read.message) : [];
    return memos.some((memo) => Buffer.from(memo).toString().startsWith(REFUND_MEMO_PREFIX));
  });
}

/** Every node that answers has no such transaction in its whole history. */
async function isUnknown(nodes: readonly SolanaNode[], transactionId: string): Promise<boolean> {
  const told = await askEvery(nodes, async (node) => (await node.statuses([transactionId]))[0]);
  return told.length > 0 && told.every((status) => status === null);
}
