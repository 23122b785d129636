// Answers of confirm and settle, made from stored rows only. Only a secret key settles an up-to payment.
import type { UptoConfirmResponse, UptoSettleResponse } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode, isErrorCode } from '@svc-pay/protocol/errors';
import type { KeyKind } from '../account/api-key.ts';
import { isoTime } from '../clock.ts';
import { intentView } from '../intent/intent.ts';
import { paymentView } from '../payment/payment.ts';
import { settleStatus } from './settle-status.ts';
import type { UptoRead } from './upto-read.ts';

/** `viewer` is the kind of key that is answered. */
export function confirmAnswer({ intent }: UptoRead, alreadyConfirmed: boolean, viewer: KeyKind): UptoConfirmResponse {
  return {
    ok: true,
    alreadyConfirmed,
    status: intent.status,
    paymentIntent: intentView(intent, viewer),
    expiresAt: isoTime(intent.expiresAtMs),
  };
}

/** `status` is the result of confirming; the intent's own status is unchanged. */
export function confirmRefusal({ intent }: UptoRead, error: ErrorCode, viewer: KeyKind): UptoConfirmResponse {
  return {
    ok: false,
    alreadyConfirmed: false,
    status: 'failed',
    paymentIntent: intentView(intent, viewer),
    expiresAt: isoTime(intent.expiresAtMs),
    error,
    message: ERRORS[error].message,
  };
}

/** Refund and platform fee are "0" until the payment is completed. */
export function uptoAnswer(read: UptoRead): UptoSettleResponse {
  const { intent, latest } = read;
  if (latest === null) throw new Error(`intent ${intent.id} has no payment to answer with`);
  const { payment } = latest;
  const said = settleStatus({ intent, latest, own: latest });
  const error = said.status === 'failed' ? said.error : undefined;
  return {
    ...viewsOf(read),
    ok: said.status !== 'failed',
    status: said.status,
    transactionId: payment.transactionId,
    settledAmount: payment.amount.toString(),
    refundAmount: latest.refundAmount?.toString() ?? '0',
    platformFeeAmount: latest.feeAmount?.toString() ?? '0',
    externalCostAmount: latest.externalCostAmount?.toString() ?? '0',
    ...(error !== undefined && { error, ...(isErrorCode(error) && { message: ERRORS[error].message }) }),
  };
}

/** Answer when no settlement was begun: the amount was refused. */
export function uptoRefusal(read: UptoRead, error: ErrorCode): UptoSettleResponse {
  return {
    ...viewsOf(read),
    ok: false,
    status: 'failed',
    transactionId: null,
    settledAmount: '0',
    refundAmount: '0',
    platformFeeAmount: '0',
    externalCostAmount: '0',
    error,
    message: ERRORS[error].message,
  };
}

function viewsOf({ intent, latest, stored }: UptoRead) {
  return {
    intentStatus: intent.status,
    paymentIntent: intentView(intent, 'secret'),
    payment: latest === null ? null : paymentView(latest.payment, intent, 'secret'),
    capAmount: (stored?.cap ?? intent.amount).toString(),
  };
}
