// Makes the settle response. It shows the intent and its payment as GET and the stream do, or the header's own payment where
// the intent names none; status, transaction, number, cost and error are those of the submitted header. `viewer` is the kind of key that is answered.
import type { SettleResponse } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { KeyKind } from '../account/api-key.ts';
import { intentView } from '../intent/intent.ts';
import { paymentView } from '../payment/payment.ts';
import { settleStatus } from './settle-status.ts';
import type { SettlementRead } from './settlement-read.ts';

export function settleAnswer(read: SettlementRead, viewer: KeyKind): SettleResponse {
  const subject = read.own ?? read.latest;
  return {
    ...settleStatus(read),
    ...viewsOf(read, viewer),
    transactionId: subject?.payment.transactionId ?? null,
    canisterTxId: subject?.payment.settlementNumber ?? 0,
    externalCostAmount: subject?.externalCostAmount?.toString() ?? '0',
  };
}

/** Answer to a refused header: it has no transaction, whatever other payments of the intent did. */
export function refusalAnswer(read: SettlementRead, error: ErrorCode, viewer: KeyKind): SettleResponse {
  return {
    status: 'failed',
    error,
    ...viewsOf(read, viewer),
    transactionId: null,
    canisterTxId: 0,
    externalCostAmount: '0',
  };
}

function viewsOf(
  { intent, latest, own }: SettlementRead,
  viewer: KeyKind,
): Pick<SettleResponse, 'paymentIntent' | 'payment'> {
  const shown = latest ?? own;
  return {
    paymentIntent: intentView(intent, viewer),
    payment: shown === null ? null : paymentView(shown.payment, intent, viewer),
  };
}
