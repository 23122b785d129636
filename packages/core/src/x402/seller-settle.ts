// What a settle of a seller comes to, from the answer of settle.
import { isErrorCode } from '@svc-pay/protocol/errors';
import type { KeyKind } from '../account/api-key.ts';
import { settleAnswer } from '../settlement/settle-answer.ts';
import type { SettleReply, SettleResult } from '../settlement/settle-payment.ts';
import type { SettlementRead } from '../settlement/settlement-read.ts';
import { refusal, type SellerRefusal } from './seller-payment.ts';
import type { LeasedCall } from './verify-for-seller.ts';

/** `lease` is set where the call has the lease, for the mark of its answer. */
export type SellerSettle = { readonly payer?: string; readonly amount?: string; readonly lease?: LeasedCall } & (
  | { readonly outcome: 'settled'; readonly transaction: string; readonly claimed: boolean }
  /** The money may be moving; the same call again gets the outcome. */
  | { readonly outcome: 'pending'; readonly transaction: string | null; readonly claimed: boolean }
  | { readonly outcome: 'repeat'; readonly transaction: string | null }
  | ({ readonly outcome: 'refused'; readonly transaction: string | null } & Omit<SellerRefusal, 'ok'>)
);

/** A payment that failed, or paid another amount, is told as such again: a seller may take a repeat as paid. */
export function repeated(found: SettlementRead | undefined, viewer: KeyKind): SellerSettle {
  if (found === undefined) return { outcome: 'repeat', transaction: null };
  const told = outcomeOfResponse(settleAnswer(found, viewer), false);
  if (told.outcome === 'refused' && found.own !== null) return told;
  return { outcome: 'repeat', transaction: told.transaction };
}

export function outcomeOf(settled: SettleResult): SellerSettle {
  if (!settled.ok && settled.moneyMoved === 'unknown') return pending(null);
  if (!settled.ok) return refused(refusal(settled.code === 'not_found' ? 'internal_error' : settled.code));
  return outcomeOfResponse(settled.response, settled.claimed);
}

function outcomeOfResponse(
  { status, transactionId: transaction, error }: SettleReply['response'],
  claimed: boolean,
): SellerSettle {
  if (status === 'succeeded') return { outcome: 'settled', transaction: transaction ?? '', claimed };
  if (status === 'processing') return { ...pending(transaction), claimed };
  // Another payment has paid the intent, so the intent is not this seller's.
  if (status === 'completed') return { outcome: 'repeat', transaction };
  return refused(status === 'mismatched' ? MISMATCH : failureOf(error), transaction);
}

const MISMATCH = refusal('amount_mismatch', 'The wallet received another amount than the payer sent.');

function failureOf(error: string | undefined): SellerRefusal {
  if (error !== undefined && isErrorCode(error)) return refusal(error);
  return refusal('internal_error', `The payment failed${error === undefined ? '' : ` by ${error}`}.`);
}

export const pending = (transaction: string | null | undefined) =>
  ({ outcome: 'pending', transaction: transaction ?? null, claimed: false }) as const;

export const refused = ({ code, message, signed }: SellerRefusal, transaction: string | null = null): SellerSettle => ({
  outcome: 'refused',
  code,
  message,
  transaction,
  ...(signed && { signed }),
});
