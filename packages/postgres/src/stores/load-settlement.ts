// An intent, its latest payment and the payment of one authorization: a settle answer is made from this and nothing else.
import {
  type Caller,
  type PaymentProgress,
  type SentAuthorization,
  type SentPayment,
  type SentTransfer,
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
export const paymentStep = (paymentId: string, accountId = '$1', mode = '$2') => `
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
        where settlement.account_id = ${accountId} and settlement.mode = ${mode} and settlement.payment_id = payment.id
        limit 1
      ) settlement on true
      where payment.account_id = ${accountId} and payment.mode = ${mode} and payment.id = ${paymentId}
      limit 1
    ) step on true`;

// Of many headers at once; each is found by its own keys, as if it were alone.
const LOAD_SETTLEMENTS = {
  name: 'load-settlements',
  text: `
    select wanted.place::integer as place, intent.*, null as confirmed_payer, step.progress as latest,
      signed.claim_key as own_claim, step.claim_key = signed.claim_key as own_is_latest
    from unnest(
      $1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::text[], $7::text[], $8::numeric[], $9::bigint[],
      $10::bigint[]
    ) with ordinality as wanted (
      account_id, mode, intent_id, payer, nonce, network, recipient, cap, valid_after, valid_before, place
    )
    cross join lateral (
      select * from svc.intents intent
      where intent.account_id = wanted.account_id and intent.mode = wanted.mode and intent.id = wanted.intent_id
      limit 1
    ) intent
    ${paymentStep('intent.payment_id', 'wanted.account_id', 'wanted.mode')}
    left join lateral (
      select claim_key from svc.authorizations signed
      where signed.account_id = wanted.account_id and signed.mode = wanted.mode and signed.intent_id = wanted.intent_id
        and signed.payer = wanted.payer and signed.nonce = wanted.nonce and signed.network = wanted.network
        and lower(signed.recipient) = wanted.recipient and signed.cap = wanted.cap
        and signed.valid_after = wanted.valid_after and signed.valid_before = wanted.valid_before
      limit 1
    ) signed on true`,
};
// Its digest is of all that a transaction says.
const LOAD_TRANSFER = {
  name: 'load-settlement-transfer',
  text: `
    select intent.*, null as confirmed_payer, step.progress as latest,
      signed.claim_key as own_claim, step.claim_key = signed.claim_key as own_is_latest
    from svc.intents intent
    ${paymentStep('intent.payment_id')}
    left join lateral (
      select claim_key from svc.authorizations signed
      where signed.account_id = $1 and signed.mode = $2 and signed.intent_id = $3
        and signed.payer = $4 and signed.nonce = $5 and signed.kind = 'solana_transaction'
      limit 1
    ) signed on true
    where intent.account_id = $1 and intent.mode = $2 and intent.id = $3`,
};

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

export type WantedSettlement = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly sent: SentAuthorization | null;
};

/** In their order; undefined for an intent that the caller does not have. */
export async function loadSettlements(
  pool: pg.Pool,
  wanted: readonly WantedSettlement[],
): Promise<readonly (SettlementRead | undefined)[]> {
  const each = wanted.map(({ caller, intentId, sent }) => [
    caller.accountId,
    caller.mode,
    intentId,
    ...authorizationValues(sent),
  ]);
  const columns = Array.from({ length: 10 }, (_, column) => each.map((values) => values[column]));
  const { rows } = await pool.query<SettlementRow & { place: number }>({ ...LOAD_SETTLEMENTS, values: columns });
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return Promise.all(
    wanted.map(async ({ caller }, index) => {
      const row = byPlace.get(index + 1);
      return row && readOf(pool, caller, row);
    }),
  );
}

/** By a signed transaction. */
async function loadTransfer(
  pool: pg.Pool,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
  { payer, messageHash }: SentTransfer,
): Promise<SettlementRead | undefined> {
  const values = [caller.accountId, caller.mode, intentId, payer, Buffer.from(messageHash, 'hex')];
  const { rows } = await pool.query<SettlementRow>({ ...LOAD_TRANSFER, values });
  return rows[0] && readOf(pool, caller, rows[0]);
}

export function loadSettlement(
  pool: pg.Pool,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
  sent: SentPayment | null,
  loadOne = async (wanted: WantedSettlement) => (await loadSettlements(pool, [wanted]))[0],
): Promise<SettlementRead | undefined> {
  return sent !== null && 'payer' in sent
    ? loadTransfer(pool, caller, intentId, sent)
    : loadOne({ caller, intentId, sent });
}

async function readOf(pool: pg.Pool, { accountId, mode }: Caller, row: SettlementRow): Promise<SettlementRead> {
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
