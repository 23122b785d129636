// Payments and refunds in memory, as the stores of refunds read them.
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import {
  BATCH_STATUS,
  PAYMENT_STATUS,
  type RefundablePayment,
  type RefundCaller,
  type StoredRefund,
} from '../index.ts';
import { type AskedRefundRow, MEMORY_INSTALLATION } from './memory-refund-tables.ts';
import type { Tables } from './memory-tables.ts';

const PAID: ReadonlySet<string> = new Set([
  PAYMENT_STATUS.completed,
  PAYMENT_STATUS.mismatched,
  PAYMENT_STATUS.refunded,
]);

/** Undefined when the account has no such payment. */
export function refundableOf(
  tables: Tables,
  { accountId, mode }: RefundCaller,
  paymentId: string,
): RefundablePayment | undefined {
  const settlement = tables.settlements.get(paymentId);
  const payment = tables.payments.get(paymentId);
  if (settlement === undefined || payment === undefined) return undefined;
  const { item, batchId } = settlement;
  if (item.accountId !== accountId || item.mode !== mode) return undefined;
  const paidAtomic = payment.paidAmount ?? 0n;
  const totals = tables.refundTotals.get(paymentId);
  return {
    accountId,
    mode,
    paymentId: item.paymentId,
    intentId: item.intentId,
    intentCode: item.intentCode,
    network: settlement.network as NetworkId,
    asset: item.asset,
    tokenShortcode: payment.tokenShortcode,
    installation: MEMORY_INSTALLATION,
    status: payment.status,
    // A paid payment without a batch was paid by somebody else's transaction, which only final blocks tell.
    final:
      PAID.has(payment.status) &&
      paidAtomic > 0n &&
      (batchId === null || tables.batches.get(batchId)?.status === BATCH_STATUS.finalized),
    payer: payment.payer,
    byContract: item.byContract,
    totals: {
      paidAtomic: totals?.paidAtomic ?? paidAtomic,
      refundedAtomic: totals?.refundedAtomic ?? 0n,
      reservedAtomic: totals?.reservedAtomic ?? 0n,
    },
    dueAtomic: payment.refundDueAmount,
    nextSequence: (totals?.lastSequence ?? 0) + 1,
    wallet: item.payout.merchant,
    wallets: walletsOf(tables, { accountId, mode }, settlement.network),
  };
}

/** Wallets of payouts that somebody has paid, or signed payments to. */
export function walletsOf(
  { authorizations, settlements }: Tables,
  { accountId, mode }: RefundCaller,
  network: string,
): readonly string[] {
  const own = [...authorizations.values()].filter(
    (signed) => signed.accountId === accountId && signed.mode === mode && signed.network === network,
  );
  const paid = [...settlements.values()].filter(
    ({ item, network: paidOn }) => item.accountId === accountId && item.mode === mode && paidOn === network,
  );
  const payouts = [...own.map(({ payout }) => payout), ...paid.map(({ item }) => item.payout)];
  return [...new Set(payouts.map(({ merchant }) => merchant))].toSorted();
}

/** With what a lane has changed. */
export function storedRefundOf({ refunds }: Tables, { refund }: AskedRefundRow): StoredRefund {
  const lane = refunds.get(refund.id);
  if (lane === undefined) return refund;
  const { status, transactionId } = lane;
  return { ...refund, status, transactionId, refusal: lane.refusal as ErrorCode | null };
}
