// A refund as a row. Amounts and numbers beyond 2^53 are text.
import type { Mode, StoredRefund } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import { type TermsColumn, termsOf } from './terms-column.ts';

/** Columns of `svc.refunds` that `refundOf` needs; `r` is the alias. */
export const REFUND_COLUMNS = `
  r.account_id, r.mode, r.id, r.payment_id, r.intent_id, r.intent_code, r.kind, r.status, r.sequence, r.network, r.asset,
  r.token_shortcode, r.amount, r.wallet, r.recipient, encode(r.nonce, 'hex') as nonce, r.valid_after, r.valid_before,
  r.transfer, r.reported_transaction_id, r.reported_log_index, r.transaction_id, r.log_index, r.refusal, r.failure_code,
  r.reason, r.created_at, r.expires_at, r.submitted_at, r.completed_at`;

export type RefundRow = {
  readonly account_id: Id<'account'>;
  readonly mode: Mode;
  readonly id: Id<'refund'>;
  readonly payment_id: Id<'payment'>;
  readonly intent_id: Id<'paymentIntent'>;
  readonly intent_code: string;
  readonly kind: StoredRefund['kind'];
  readonly status: StoredRefund['status'];
  readonly sequence: number | null;
  readonly network: NetworkId;
  readonly asset: string;
  readonly token_shortcode: string;
  readonly amount: string | null;
  readonly wallet: string;
  readonly recipient: string;
  readonly nonce: string | null;
  readonly valid_after: string | null;
  readonly valid_before: string | null;
  readonly transfer: TermsColumn | null;
  readonly reported_transaction_id: string | null;
  readonly reported_log_index: number | null;
  readonly transaction_id: string | null;
  readonly log_index: number | null;
  readonly refusal: ErrorCode | null;
  readonly failure_code: ErrorCode | null;
  readonly reason: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly submitted_at: Date | null;
  readonly completed_at: Date | null;
};

export function refundOf(row: RefundRow): StoredRefund {
  return {
    id: row.id,
    accountId: row.account_id,
    mode: row.mode,
    paymentId: row.payment_id,
    intentId: row.intent_id,
    intentCode: BigInt(row.intent_code),
    kind: row.kind,
    status: row.status,
    sequence: row.sequence,
    network: row.network,
    asset: row.asset,
    tokenShortcode: row.token_shortcode,
    amountAtomic: bigintOf(row.amount),
    wallet: row.wallet,
    recipient: row.recipient,
    nonce: row.nonce === null ? null : `0x${row.nonce}`,
    validAfterSeconds: bigintOf(row.valid_after),
    validBeforeSeconds: bigintOf(row.valid_before),
    transfer: termsOf(row.transfer),
    reported:
      row.reported_transaction_id === null
        ? null
        : { transactionId: row.reported_transaction_id, logIndex: row.reported_log_index },
    transactionId: row.transaction_id,
    logIndex: row.log_index,
    refusal: row.refusal,
    failureCode: row.failure_code,
    reason: row.reason,
    createdAtMs: row.created_at.getTime(),
    expiresAtMs: timeOf(row.expires_at),
    submittedAtMs: timeOf(row.submitted_at),
    completedAtMs: timeOf(row.completed_at),
  };
}

const bigintOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text));
const timeOf = (time: Date | null): number | null => time && time.getTime();
