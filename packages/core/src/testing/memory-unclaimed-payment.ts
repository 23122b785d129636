// Payments in memory that nobody submitted to us: money that the chain reader found.
import { atomicAmount } from '@svc-pay/money';
import { newId } from '@svc-pay/protocol/ids';
import {
  type CreditedMoney,
  type ForeignEvidence,
  foreignCompletion,
  type MoneyStep,
  mismatchedPayment,
  type PaidTerms,
  type PaidTotals,
  type StoredAcceptance,
  unclaimedItem,
} from '../index.ts';
import type { Applying } from './memory-applying.ts';
import { proofKey } from './memory-direct-tables.ts';
import { beforesOf, writeEvents, writePaymentResults } from './memory-payment-results.ts';
import type { IntentRow } from './memory-tables.ts';

type Writing = Pick<Applying, 'tables' | 'network' | 'nowMs'>;

type Unclaimed = {
  readonly row: IntentRow;
  readonly acceptance: PaidTerms;
  readonly payer: string;
  readonly amountAtomic: bigint;
  readonly nonce: string;
  /** Of the claim, as hex. */
  readonly key: string;
  readonly evidence: ForeignEvidence;
};

function insertSettlement({ tables, network, nowMs }: Writing, given: Unclaimed, status: 'held' | 'completed') {
  const { row, acceptance, payer, amountAtomic, nonce, key } = given;
  const { accountId, mode, id: intentId, intentCode } = row.intent;
  const paymentId = newId('payment', nowMs);
  const owner = { accountId, mode, intentId, paymentId, intentCode: BigInt(intentCode) };
  const number = BigInt(tables.settlements.size + 1);
  const item = { ...unclaimedItem({ owner, acceptance, payer, amountAtomic, nonce }), number };
  const batch = { relayer: null, batchId: null, batchLimit: null, retryAtMs: null, refusal: null, revertedBatches: [] };
  tables.settlements.set(paymentId, { item, claimKey: key, network, createdAtMs: nowMs, status, ...batch });
  tables.unsubmitted.set(key, { intentId, paymentId });
  return item;
}

/** Of a stored acceptance; late terms have none. */
const rateOf = (acceptance: PaidTerms & Partial<Pick<StoredAcceptance, 'rate'>>) =>
  acceptance.rate?.usdPerToken ?? null;

export function writeMoney(applying: Writing, given: Unclaimed, step: Exclude<MoneyStep, Unattributed>): CreditedMoney {
  return step.step === 'credit' ? credit(applying, given, step) : mismatch(applying, given, step);
}

type Unattributed = { readonly step: 'unattributed' };

/** The money pays the intent. */
function credit(applying: Writing, given: Unclaimed, totals: PaidTotals): CreditedMoney {
  const { tables, network, nowMs } = applying;
  const { row, acceptance, payer, amountAtomic, evidence } = given;
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
    amount: atomicAmount(amountAtomic),
    requestedAmount: amount,
    paidAmount: null,
    paidTotal: amountOr(totals.paidTotalAtomic),
    refundDueAmount: amountOr(totals.refundDueAtomic),
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

const amountOr = (atomic: bigint | null) => (atomic === null ? null : atomicAmount(atomic));

/** The money is not what the intent asks for. */
function mismatch(
  applying: Writing,
  given: Unclaimed,
  { standing, refundDueAtomic, reason }: Extract<MoneyStep, { readonly step: 'mismatch' }>,
): CreditedMoney {
  const { tables, network, nowMs } = applying;
  const { row, evidence, acceptance } = given;
  const item = insertSettlement(applying, given, 'completed');
  const known = { usdPerToken: rateOf(acceptance), settlementNumber: Number(item.number) };
  const terms = { evidence, acceptance, standing, refundDueAtomic, ...known };
  const draft = mismatchedPayment(row, item, terms, { requestId: newId('batch', nowMs), nowMs });
  tables.payments.set(item.paymentId, draft.payment);
  tables.entries.push(...draft.entries);
  row.intent = draft.intent;
  if (standing !== 'aside') {
    row.paymentId = item.paymentId;
    tables.parts.push({ intentId: item.intentId, paymentId: item.paymentId, position: acceptance.position });
  }
  writeEvents(tables, draft.events, row.intent);
  row.eventSequence += draft.events.length;
  row.version += 1;
  const { transactionId, logIndex } = draft.proof;
  const proof = { transactionId, logIndex, paymentId: item.paymentId, reason: null, read: true };
  tables.proofs.set(proofKey(network, transactionId, logIndex), proof);
  return { outcome: 'mismatched', intentId: item.intentId, paymentId: item.paymentId, reason };
}
