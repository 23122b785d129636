// The answers of confirm and settle, from stored rows alone.
import type { UptoConfirmResponse, UptoSettleResponse } from '@svc-pay/protocol';
import { ERRORS, type ErrorCode, isErrorCode } from '@svc-pay/protocol/errors';
import { isoTime } from '../clock.ts';
import { intentView } from '../intent/intent.ts';
import { paymentView } from '../payment/payment.ts';
import { settleStatus } from '../settle/settle-status.ts';
import type { UptoRead } from './upto-read.ts';

export function confirmAnswer({ intent }: UptoRead, alreadyConfirmed: boolean): UptoConfirmResponse {
  return {
    ok: true,
    alreadyConfirmed,
    status: intent.status,
    paymentIntent: intentView(intent),
    expiresAt: isoTime(intent.expiresAtMs),
  };
}

/** `status` says how confirming went; the intent keeps its own. */
export function confirmRefusal({ intent }: UptoRead, error: ErrorCode): UptoConfirmResponse {
  return {
    ok: false,
    alreadyConfirmed: false,
    status: 'failed',
    paymentIntent: intentView(intent),
    expiresAt: isoTime(intent.expiresAtMs),
    error,
    message: ERRORS[error].message,
  };
}

/** What went back and what the platform kept are told once the chain has done it; "0" until then. */
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
    transactionId: payment.transactionId ?? latest.sentTransactionId,
    settledAmount: payment.amount.toString(),
    refundAmount: latest.refundAmount?.toString() ?? '0',
    platformFeeAmount: latest.feeAmount?.toString() ?? '0',
    externalCostAmount: latest.externalCostAmount?.toString() ?? '0',
    ...(error !== undefined && { error, ...(isErrorCode(error) && { message: ERRORS[error].message }) }),
  };
}

/** Nothing was begun: the amount was asked for and not settled. */
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
    paymentIntent: intentView(intent),
    payment: latest === null ? null : paymentView(latest.payment, intent),
    capAmount: (stored?.cap ?? intent.amount).toString(),
  };
}
