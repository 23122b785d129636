// Payments in memory that nobody submitted to us: money that the chain reader found.
import { newId } from '@svc-pay/protocol/ids';
import {
  type AppliedLog,
  type ForeignEvidence,
  foreignCompletion,
  mismatchedPayment,
  type PaidTerms,
  type StoredAcceptance,
  unclaimedItem,
} from '../index.ts';
import type { Applying } from './memory-applying.ts';
import { proofKey } from './memory-direct-tables.ts';
import { beforesOf, writeEvents, writePaymentResults } from './memory-payment-results.ts';
import type { IntentRow } from './memory-tables.ts';

type Unclaimed = {
  readonly row: IntentRow;
  readonly acceptance: PaidTerms;
  readonly payer: string;
  readonly nonce: string;
  /** Of the claim, as hex. */
  readonly key: string;
  readonly evidence: ForeignEvidence;
};

function insertSettlement({ tables, network, nowMs }: Applying, given: Unclaimed, status: 'held' | 'completed') {
  const { row, acceptance, payer, nonce, key } = given;
  const { accountId, mode, id: intentId, intentCode } = row.intent;
  const paymentId = newId('payment', nowMs);
  const owner = { accountId, mode, intentId, paymentId, intentCode: BigInt(intentCode) };
  const number = BigInt(tables.settlements.size + 1);
  const item = { ...unclaimedItem({ owner, acceptance, payer, nonce }), number };
  const batch = { relayer: null, batchId: null, batchLimit: null, retryAtMs: null, refusal: null, revertedBatches: [] };
  tables.settlements.set(paymentId, { item, claimKey: key, network, createdAtMs: nowMs, status, ...batch });
  tables.unsubmitted.set(key, { intentId, paymentId });
  return item;
}

/** Of a stored acceptance; late terms have none. */
const rateOf = (acceptance: PaidTerms & Partial<Pick<StoredAcceptance, 'rate'>>) =>
  acceptance.rate?.usdPerToken ?? null;

/** The money pays the intent. */
export function credit(applying: Applying, given: Unclaimed): AppliedLog {
  const { tables, network, nowMs } = applying;
  const { row, acceptance, payer, evidence } = given;
  const item = insertSettlement(applying, given, 'held');
  const { paymentId, intentId } = item;
  const { amount } = acceptance;
  tables.payments.set(paymentId, {
    id: paymentId,
    status: 'pending',
    network,
    tokenSymbol: acceptance.token.symbol,
    tokenShortcode: acceptance.token.shortcode,
    usdPerToken: rateOf(acceptance),
    asset: acceptance.token.address,
    payer,
    amount,
    requestedAmount: amount,
    paidAmount: null,
    feeAmount: null,
    splits: null,
    returnedAmount: null,
    refundedAmount: null,
    failureCode: null,
    transactionId: null,
    transactionSplitId: null,
    settlementNumber: Number(item.number),
    createdAtMs: nowMs,
    completedAtMs: null,
    announced: false,
  });
  row.intent = { ...row.intent, status: 'processing', amount, confirmations: acceptance.confirmations };
  row.paymentId = paymentId;
  row.version += 1;
  const origin = { requestId: newId('batch', nowMs), nowMs };
  const before = beforesOf(tables, [item]).get(intentId);
  writePaymentResults(tables, [foreignCompletion(before, item, evidence, origin)], 'held');
  return { outcome: 'completed', intentId, paymentId };
}

/** The money is a payment of its own. */
export function mismatch(applying: Applying, given: Unclaimed, reason: string): AppliedLog {
  const { tables, network, nowMs } = applying;
  const { row, evidence, acceptance } = given;
  const item = insertSettlement(applying, given, 'completed');
  const { token } = acceptance;
  const terms = { evidence, token, usdPerToken: rateOf(acceptance), settlementNumber: Number(item.number) };
  const draft = mismatchedPayment(row, item, terms, { requestId: newId('batch', nowMs), nowMs });
  tables.payments.set(item.paymentId, draft.payment);
  tables.entries.push(...draft.entries);
  writeEvents(tables, draft.events, row.intent);
  row.eventSequence += draft.events.length;
  row.version += 1;
  const { transactionId, logIndex } = draft.proof;
  const proof = { transactionId, logIndex, paymentId: item.paymentId, reason: null, read: true };
  tables.proofs.set(proofKey(network, transactionId, logIndex), proof);
  return { outcome: 'mismatched', intentId: item.intentId, paymentId: item.paymentId, reason };
}
