// Compares what the tables say of one payment with each other.
import type { PaymentStatus } from '@svc-pay/protocol';
import { INTENT_STATUS } from '../intent/intent-transitions.ts';
import { RECORDED_BATCH } from '../lane/batch-transitions.ts';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { OPEN_SETTLEMENT, SETTLEMENT_STATUS, type SettlementStatus } from '../settlement/settlement-transitions.ts';
import type { BookedPaymentRow } from './books.ts';
import { paymentSource } from './payment-source.ts';

const SETTLEMENTS_OF: Readonly<Partial<Record<PaymentStatus, readonly SettlementStatus[]>>> = {
  pending: OPEN_SETTLEMENT,
  completed: [SETTLEMENT_STATUS.completed],
  failed: [SETTLEMENT_STATUS.failed],
  canceled: [SETTLEMENT_STATUS.canceled],
};
const RECORDED: ReadonlySet<string> = new Set(RECORDED_BATCH);
/** The payment has completed its intent, whatever became of it later. */
const COMPLETING: ReadonlySet<PaymentStatus> = new Set([PAYMENT_STATUS.completed, PAYMENT_STATUS.refunded]);

/** Problems in words; empty when all tables agree. */
export function examineStatuses(row: BookedPaymentRow): readonly string[] {
  return [...examineSettlement(row), ...examineIntent(row), ...examineTransaction(row), ...examineProof(row)];
}

function examineSettlement(row: BookedPaymentRow): readonly string[] {
  const { status, settlement, settlementKept, paymentId, leftBehind = false } = row;
  if (settlement === null) {
    return settlementKept && status === PAYMENT_STATUS.completed ? ['it is completed and has no settlement'] : [];
  }
  const problems: string[] = [];
  const allowed = SETTLEMENTS_OF[status];
  if (allowed !== undefined && !allowed.includes(settlement.status))
    problems.push(`it is ${status}, its settlement is ${settlement.status}`);
  if (status === PAYMENT_STATUS.completed && settlement.claimedBy !== paymentId && !leftBehind)
    problems.push(`its authorization is claimed by ${settlement.claimedBy ?? 'no payment'}`);
  return problems;
}

function examineIntent({ status, intent, intentId, paymentId }: BookedPaymentRow): readonly string[] {
  if (intent === null) return status === PAYMENT_STATUS.completed ? [`its intent ${intentId} is not there`] : [];
  const named = intent.paymentId === paymentId;
  if (status === PAYMENT_STATUS.completed && !named)
    return [`it is completed, its intent ${intentId} names ${intent.paymentId ?? 'no payment'}`];
  if (status === PAYMENT_STATUS.completed && intent.status !== INTENT_STATUS.completed)
    return [`it is completed, its intent ${intentId} is ${intent.status}`];
  if (named && intent.status === INTENT_STATUS.completed && !COMPLETING.has(status))
    return [`it is ${status}, its intent ${intentId} is completed by it`];
  return [];
}

function examineTransaction({ status, settlement, transactionId }: BookedPaymentRow): readonly string[] {
  if (status !== PAYMENT_STATUS.completed || settlement === null) return [];
  const { batch, foreignTransactionId } = settlement;
  if (foreignTransactionId !== null) {
    return foreignTransactionId === transactionId
      ? []
      : [`it names transaction ${transactionId ?? 'none'}, its settlement the foreign one ${foreignTransactionId}`];
  }
  if (batch === null) return ['it is completed and in no batch'];
  if (!RECORDED.has(batch.status)) return [`it is completed, its batch ${batch.id} is ${batch.status}`];
  if (batch.transactionId !== transactionId)
    return [
      `it names transaction ${transactionId ?? 'none'}, its batch ${batch.id} was mined as ${batch.transactionId}`,
    ];
  return [];
}

/** The payment took money, so a log proves it. Payments of processors from before log proofs have none. */
const PROVEN: ReadonlySet<PaymentStatus> = new Set([...COMPLETING, PAYMENT_STATUS.mismatched]);

function examineProof(row: BookedPaymentRow): readonly string[] {
  const { status, settlement, splitId, provenPaymentId, paymentId, leftBehind = false } = row;
  if (!PROVEN.has(status) || splitId === null) return [];
  if (provenPaymentId !== null && provenPaymentId !== paymentId)
    return leftBehind ? [] : [`its log ${splitId} proves payment ${provenPaymentId}`];
  const needsProof = settlement !== null && paymentSource(row) !== 'settled';
  return provenPaymentId === null && needsProof ? [`no log proof has its log ${splitId}`] : [];
}
