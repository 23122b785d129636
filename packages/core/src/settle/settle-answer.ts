// The settle response. The intent and its payment are shown as GET and the stream show them; status, transaction, number,
// cost and error are those of the header that was sent.
import type { SettleResponse } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { intentView } from '../intent/intent.ts';
import { paymentView } from '../payment/payment.ts';
import { settleStatus } from './settle-status.ts';
import type { SettlementRead } from './settlement-read.ts';

export function settleAnswer(read: SettlementRead): SettleResponse {
  const subject = read.own ?? read.latest;
  return {
    ...settleStatus(read),
    ...viewsOf(read),
    transactionId: subject?.payment.transactionId ?? subject?.sentTransactionId ?? null,
    canisterTxId: subject?.payment.settlementNumber ?? 0,
    externalCostAmount: subject?.externalCostAmount?.toString() ?? '0',
  };
}

/** A header that was refused: it has no transaction, whatever others did on the intent. */
export function refusalAnswer(read: SettlementRead, error: ErrorCode): SettleResponse {
  return {
    status: 'failed',
    error,
    ...viewsOf(read),
    transactionId: null,
    canisterTxId: 0,
    externalCostAmount: '0',
  };
}

function viewsOf({ intent, latest }: SettlementRead): Pick<SettleResponse, 'paymentIntent' | 'payment'> {
  return { paymentIntent: intentView(intent), payment: latest === null ? null : paymentView(latest.payment, intent) };
}
