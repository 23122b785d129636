// Every payment is inserted here, together with its settlement. The settlement's number is also stored on the payment.
import { type NewSettlement, PAYMENT_STATUS, SETTLEMENT_STATUS, type StoredPayment } from '@svc-pay/core';
import { type Expressions, insertText } from '../database/insert-text.ts';
import { bigintOf } from '../database/planner.ts';
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
  /** What the intent asks for, where that is not the cap. */
  readonly requested_amount?: string;
  readonly payout_id: string;
  /** Rate of the acceptance that is paid. */
  readonly usd_per_token_atto: string;
  readonly now: string;
  /** Of the settlement. That of a `mismatched` payment is `completed`. */
  readonly status: NewSettlement;
  /** SQL condition under which the settlement begins `held` instead. */
  readonly held_if?: string;
  readonly direct?: string;
  /** `bound_relayer` and `solo_payer` are for a queued settlement. */
  readonly bound_relayer?: string;
  readonly solo_payer?: string;
  /** `relayer` and `batch_id` are for a batched settlement. */
  readonly relayer?: string;
  readonly batch_id?: string;
  /** For a payment that nobody submitted to us: the processor or the wallet that was paid. */
  readonly recipient?: string;
  /** These are for a payment of somebody else's transaction that begins with its result. */
  readonly foreign_transaction_id?: string;
  readonly transaction_split_id?: string;
  readonly paid_amount?: string;
  readonly fee_amount?: string;
  readonly refund_amount?: string;
  readonly splits?: string;
  readonly paid_total?: string;
  readonly refund_due_amount?: string;
  readonly part_position?: string;
};

const PAYMENT_OF: Readonly<Record<NewSettlement, string>> = {
  queued: PAYMENT_STATUS.pending,
  held: PAYMENT_STATUS.pending,
  batched: PAYMENT_STATUS.pending,
  completed: PAYMENT_STATUS.mismatched,
  canceled: PAYMENT_STATUS.canceled,
};

const NUMBER_OF_PAYMENT = bigintOf('payment_id', { key: 'payment_id', value: 'number', from: 'written_settlement' });

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
    status: settlementStatus(payment),
    cap: payment.cap,
    settled_amount: payment.settled_amount,
    payout_id: payment.payout_id,
    bound_relayer: payment.bound_relayer ?? 'null',
    solo_payer: payment.solo_payer ?? 'null',
    relayer: payment.relayer ?? 'null',
    batch_id: payment.batch_id ?? 'null',
    direct: payment.direct ?? 'false',
    recipient: payment.recipient ?? 'null',
    foreign_transaction_id: payment.foreign_transaction_id ?? 'null',
    created_at: payment.now,
    updated_at: payment.now,
  };
  const written: Expressions = {
    account_id: payment.account_id,
    mode: payment.mode,
    id: payment.payment_id,
    intent_id: payment.intent_id,
    status: sqlStatus(PAYMENT_OF[payment.status]),
    network: payment.network,
    token_shortcode: payment.token_shortcode,
    asset: payment.asset,
    payer: payment.payer,
    amount: payment.settled_amount,
    requested_amount: payment.requested_amount ?? payment.cap,
    settlement_number: from === undefined ? 'number' : NUMBER_OF_PAYMENT,
    transaction_id: payment.foreign_transaction_id ?? 'null',
    transaction_split_id: payment.transaction_split_id ?? 'null',
    paid_amount: payment.paid_amount ?? 'null',
    fee_amount: payment.fee_amount ?? 'null',
    refund_amount: payment.refund_amount ?? 'null',
    splits: payment.splits ?? 'null',
    paid_total: payment.paid_total ?? 'null',
    refund_due_amount: payment.refund_due_amount ?? 'null',
    part_position: payment.part_position ?? 'null',
    usd_per_token_atto: payment.usd_per_token_atto,
    created_event: sqlBoolean(
      payment.status === SETTLEMENT_STATUS.completed || payment.status === SETTLEMENT_STATUS.canceled,
    ),
    created_at: payment.now,
    updated_at: payment.now,
  };
  return `
    written_settlement as (
      ${insertText('svc.settlements', settlement, from === undefined ? '' : `from ${from}`)}
      returning payment_id, number
    ),
    written_payment as (
      ${insertText('svc.payments', written, `from ${from ?? 'written_settlement'}`)}
    )`;
}

/** The column `splits`. Amounts are text: JSON numbers would be rounded. */
export function splitsColumn(splits: StoredPayment['splits']): string | null {
  return splits && JSON.stringify(splits.map(({ recipient, amount }) => ({ recipient, amount: amount.toString() })));
}

/** SQL: rate of an acceptance, by its whole key; null where the acceptance is gone. */
export const rateOfOffer = (
  at: Readonly<Record<'account_id' | 'mode' | 'intent_id' | 'position', string>>,
): string => `(
        select offered.usd_per_token_atto from svc.acceptances offered
        where offered.account_id = ${at.account_id} and offered.mode = ${at.mode}
          and offered.intent_id = ${at.intent_id} and offered.position = ${at.position}
      )`;

const sqlBoolean = (value: boolean): string => (value ? 'true' : 'false');

function settlementStatus({ status, held_if }: Pick<NewPayment, 'status' | 'held_if'>): string {
  if (held_if === undefined) return sqlStatus(status);
  return `case when ${held_if} then ${sqlStatus(SETTLEMENT_STATUS.held)} else ${sqlStatus(status)} end`;
}
