// An intent, its latest payment and the payment of one authorization: a settle answer is made from this and nothing else.
import {
  type Caller,
  type PaymentProgress,
  type SentAuthorization,
  type SentPayment,
  type SettlementRead,
  spelled,
} from '@svc-pay/core';
import { atomicAmount } from '@svc-pay/money';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { type IntentRow, intentOf, type PaymentRow, paymentJson, paymentOf } from './load-intent.ts';

export type ProgressRow = {
  readonly payment: PaymentRow;
  readonly failure_code: string | null;
  readonly external_cost_amount: string | null;
  readonly fee_amount: string | null;
  readonly refund_amount: string | null;
  readonly sent_transaction_id: string | null;
};

// Each step names one row by its whole key. `limit 1` keeps the steps apart: joined freely, a plan made without values may
// read every payment of the account instead.
export const paymentStep = (paymentId: string) => `
    left join lateral (
      select settlement.claim_key, json_build_object(
        'payment', ${paymentJson('payment')},
        'failure_code', payment.failure_code, 'external_cost_amount', payment.external_cost_amount::text,
        'fee_amount', payment.fee_amount::text, 'refund_amount', payment.refund_amount::text,
        'sent_transaction_id', settlement.sent_transaction_id
      ) as progress
      from svc.payments payment
      left join lateral (
        select claim_key, (
          select batch.transaction_id from svc.batches batch
          where batch.id = settlement.batch_id and batch.status in ('broadcast', 'mined', 'finalized')
            and settlement.status in ('batched', 'mined', 'completed')
        ) as sent_transaction_id
        from svc.settlements settlement
        where settlement.account_id = $1 and settlement.mode = $2 and settlement.payment_id = payment.id
        limit 1
      ) settlement on true
      where payment.account_id = $1 and payment.mode = $2 and payment.id = ${paymentId}
      limit 1
    ) step on true`;

const loadText = (signed: string) => `
    select intent.*, null as confirmed_payer, step.progress as latest,
      signed.claim_key as own_claim, step.claim_key = signed.claim_key as own_is_latest
    from svc.intents intent
    ${paymentStep('intent.payment_id')}
    left join lateral (
      select claim_key from svc.authorizations signed
      where signed.account_id = $1 and signed.mode = $2 and signed.intent_id = $3
        and signed.payer = $4 and signed.nonce = $5 and ${signed}
      limit 1
    ) signed on true
    where intent.account_id = $1 and intent.mode = $2 and intent.id = $3`;

const LOAD_SETTLEMENT = {
  name: 'load-settlement',
  text: loadText(`signed.network = $6 and lower(signed.recipient) = $7
        and signed.cap = $8 and signed.valid_after = $9 and signed.valid_before = $10`),
};
// Its digest is of all that a transaction says.
const LOAD_TRANSFER = { name: 'load-settlement-transfer', text: loadText("signed.kind = 'solana_transaction'") };

// For a header whose payment was followed by another. That happens only once it has ended, so this second look can't
// contradict the first.
const LOAD_EARLIER = {
  name: 'load-earlier-payment',
  text: `
    select step.progress from svc.claims claim
    ${paymentStep('claim.payment_id')}
    where claim.claim_key = $3`,
};

type SettlementRow = IntentRow & {
  readonly latest: ProgressRow | null;
  readonly own_claim: Buffer | null;
  readonly own_is_latest: boolean | null;
};

export async function loadSettlement(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  intentId: Id<'paymentIntent'>,
  sent: SentPayment | null,
): Promise<SettlementRead | undefined> {
  const owned = [accountId, mode, intentId];
  const { rows } = await pool.query<SettlementRow>(
    sent !== null && 'payer' in sent
      ? { ...LOAD_TRANSFER, values: [...owned, sent.payer, Buffer.from(sent.messageHash, 'hex')] }
      : { ...LOAD_SETTLEMENT, values: [...owned, ...authorizationValues(sent)] },
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const latest = row.latest && progressOf(row.latest);
  const loadEarlier = async (claim: Buffer) => {
    const values = [accountId, mode, claim];
    const earlier = await pool.query<{ progress: ProgressRow | null }>({ ...LOAD_EARLIER, values });
    const progress = earlier.rows[0]?.progress ?? null;
    return progress && progressOf(progress);
  };
  const own = row.own_claim === null ? null : row.own_is_latest === true ? latest : await loadEarlier(row.own_claim);
  return { intent: intentOf(row), latest, own };
}

/** The whole message, so that only the header that was claimed finds its payment. */
export function authorizationValues(authorization: SentAuthorization | null): unknown[] {
  if (authorization === null) return Array<null>(7).fill(null);
  const { from, nonce, network, to, value, validAfter, validBefore } = authorization;
  const bytes = Buffer.from(nonce.slice(2), 'hex');
  return [spelled(from), bytes, network, to.toLowerCase(), value, validAfter, validBefore];
}

export function progressOf(row: ProgressRow): PaymentProgress {
  const amountOf = (text: string | null) => (text === null ? null : atomicAmount(BigInt(text)));
  return {
    payment: paymentOf(row.payment),
    failureCode: row.failure_code,
    externalCostAmount: amountOf(row.external_cost_amount),
    feeAmount: amountOf(row.fee_amount),
    refundAmount: amountOf(row.refund_amount),
    sentTransactionId: row.sent_transaction_id,
  };
}
