// Every payment is inserted here, together with its settlement. The settlement's number is also stored on the payment.
import { type NewSettlement, PAYMENT_STATUS, SETTLEMENT_STATUS } from '@svc-pay/core';
import { type Expressions, insertText } from '../database/insert-text.ts';
import { sqlStatus } from '../database/status-sql.ts';

/** SQL expression of each value: a column name if the insert reads rows, a placeholder if it writes one row. */
export type NewPayment = {
  readonly account_id: string;
  readonly mode: string;
  readonly payment_id: string;
  readonly intent_id: string;
  readonly intent_code: string;
  readonly claim_key: string;
  readonly network: string;
  readonly asset: string;
  readonly token_shortcode: string;
  readonly payer: string;
  readonly cap: string;
  readonly settled_amount: string;
  readonly payout_id: string;
  readonly now: string;
  /** Of the settlement. */
  readonly status: NewSettlement;
  /** `bound_relayer` and `solo_payer` are for a queued settlement. */
  readonly bound_relayer?: string;
  readonly solo_payer?: string;
  /** `relayer` and `batch_id` are for a batched settlement. */
  readonly relayer?: string;
  readonly batch_id?: string;
};

/**
 * Returns two CTEs: `written_settlement`, with the columns `payment_id` and `number`, and `written_payment`. `from`
 * names a CTE of the same statement with a column `payment_id`; without it one payment is written.
 */
export function insertPayment(payment: NewPayment, from?: string): string {
  const settlement: Expressions = {
    account_id: payment.account_id,
    mode: payment.mode,
    payment_id: payment.payment_id,
    intent_id: payment.intent_id,
    intent_code: payment.intent_code,
    claim_key: payment.claim_key,
    network: payment.network,
    asset: payment.asset,
    status: sqlStatus(payment.status),
    cap: payment.cap,
    settled_amount: payment.settled_amount,
    payout_id: payment.payout_id,
    bound_relayer: payment.bound_relayer ?? 'null',
    solo_payer: payment.solo_payer ?? 'null',
    relayer: payment.relayer ?? 'null',
    batch_id: payment.batch_id ?? 'null',
    created_at: payment.now,
    updated_at: payment.now,
  };
  const written: Expressions = {
    account_id: payment.account_id,
    mode: payment.mode,
    id: payment.payment_id,
    intent_id: payment.intent_id,
    status: sqlStatus(payment.status === SETTLEMENT_STATUS.canceled ? PAYMENT_STATUS.canceled : PAYMENT_STATUS.pending),
    network: payment.network,
    token_shortcode: payment.token_shortcode,
    asset: payment.asset,
    payer: payment.payer,
    amount: payment.settled_amount,
    requested_amount: payment.cap,
    settlement_number: 'number',
    created_at: payment.now,
    updated_at: payment.now,
  };
  const rows = from === undefined ? 'written_settlement' : `${from} join written_settlement using (payment_id)`;
  return `
    written_settlement as (
      ${insertText('svc.settlements', settlement, from === undefined ? '' : `from ${from}`)}
      returning payment_id, number
    ),
    written_payment as (
      ${insertText('svc.payments', written, `from ${rows}`)}
    )`;
}
