// Compares what the tables say of one payment with each other.
import type { BookedPaymentRow } from './books.ts';

const SETTLEMENTS_OF: Readonly<Record<string, readonly string[]>> = {
  pending: ['queued', 'held', 'batched', 'mined'],
  completed: ['completed'],
  failed: ['failed'],
  canceled: ['canceled'],
};

/** Problems in words; empty when all tables agree. */
export function examineStatuses(row: BookedPaymentRow): readonly string[] {
  return [...examineSettlement(row), ...examineIntent(row), ...examineBatch(row)];
}

function examineSettlement({ status, settlement, settlementKept, paymentId }: BookedPaymentRow): readonly string[] {
  if (settlement === null) {
    return settlementKept && status === 'completed' ? ['it is completed and has no settlement'] : [];
  }
  const problems: string[] = [];
  const allowed = SETTLEMENTS_OF[status];
  if (allowed !== undefined && !allowed.includes(settlement.status))
    problems.push(`it is ${status}, its settlement is ${settlement.status}`);
  if (status === 'completed' && settlement.claimedBy !== paymentId)
    problems.push(`its authorization is claimed by ${settlement.claimedBy ?? 'no payment'}`);
  return problems;
}

function examineIntent({ status, intent, intentId, paymentId }: BookedPaymentRow): readonly string[] {
  if (intent === null) return status === 'completed' ? [`its intent ${intentId} is not there`] : [];
  const named = intent.paymentId === paymentId;
  if (status === 'completed' && !named)
    return [`it is completed, its intent ${intentId} names ${intent.paymentId ?? 'no payment'}`];
  if (status === 'completed' && intent.status !== 'completed')
    return [`it is completed, its intent ${intentId} is ${intent.status}`];
  if (named && intent.status === 'completed' && !['completed', 'refunded'].includes(status))
    return [`it is ${status}, its intent ${intentId} is completed by it`];
  return [];
}

function examineBatch({ status, settlement, transactionId }: BookedPaymentRow): readonly string[] {
  if (status !== 'completed' || settlement === null) return [];
  const { batch } = settlement;
  if (batch === null) return ['it is completed and in no batch'];
  if (!['mined', 'finalized'].includes(batch.status))
    return [`it is completed, its batch ${batch.id} is ${batch.status}`];
  if (batch.transactionId !== transactionId)
    return [
      `it names transaction ${transactionId ?? 'none'}, its batch ${batch.id} was mined as ${batch.transactionId}`,
    ];
  return [];
}
