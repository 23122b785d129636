// Makes the settle response. It shows the intent and its payment as GET and the stream do; status, transaction, number,
// cost and error are those of the submitted header.
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

/** Answer to a refused header: it has no transaction, whatever other payments of the intent did. */
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
