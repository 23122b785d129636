// An intent, its latest payment and the payment of one authorization, in one snapshot: a settle answer is made from this
// and nothing else.
import type { Caller, PaymentProgress, SentAuthorization, SettlementRead } from '@svc-pay/core';
import { atomicAmount } from '@svc-pay/money';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { type IntentRow, intentOf, type PaymentRow, paymentJson, paymentOf } from './load-intent.ts';

type ProgressRow = {
  readonly payment: PaymentRow;
  readonly failure_code: string | null;
  readonly external_cost_amount: string | null;
  readonly sent_transaction_id: string | null;
};

/** While a payment's end is not recorded, the transaction it travels in is its batch's, once that was sent. */
const progressJson = (alias: string) => `case when ${alias}.id is not null then json_build_object(
        'payment', ${paymentJson(alias)},
        'failure_code', ${alias}.failure_code, 'external_cost_amount', ${alias}.external_cost_amount::text,
        'sent_transaction_id', (
          select batch.transaction_id from svc.settlements settlement
          join svc.batches batch on batch.id = settlement.batch_id and batch.status in ('broadcast', 'mined', 'finalized')
          where settlement.account_id = ${alias}.account_id and settlement.mode = ${alias}.mode
            and settlement.payment_id = ${alias}.id and settlement.status in ('batched', 'mined', 'completed')
        )
      ) end`;

const LOAD_SETTLEMENT = {
  name: 'load-settlement',
  text: `
    select intent.*, null as confirmed_payer,
      ${progressJson('latest')} as latest,
      ${progressJson('own')} as own
    from svc.intents intent
    left join svc.payments latest
      on latest.account_id = intent.account_id and latest.mode = intent.mode and latest.id = intent.payment_id
    left join lateral (
      select claim.payment_id from svc.authorizations signed
      join svc.claims claim on claim.claim_key = signed.claim_key
      where signed.account_id = intent.account_id and signed.mode = intent.mode and signed.intent_id = intent.id
        and signed.payer = $4 and signed.nonce = $5 and signed.network = $6 and lower(signed.recipient) = $7
        and signed.cap = $8 and signed.valid_after = $9 and signed.valid_before = $10
      limit 1
    ) mine on true
    left join svc.payments own
      on own.account_id = intent.account_id and own.mode = intent.mode and own.id = mine.payment_id
    where intent.account_id = $1 and intent.mode = $2 and intent.id = $3`,
};

export async function loadSettlement(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  intentId: Id<'paymentIntent'>,
  authorization: SentAuthorization | null,
): Promise<SettlementRead | undefined> {
  const { rows } = await pool.query<
    IntentRow & { readonly latest: ProgressRow | null; readonly own: ProgressRow | null }
  >({
    ...LOAD_SETTLEMENT,
    values: [accountId, mode, intentId, ...authorizationValues(authorization)],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return { intent: intentOf(row), latest: row.latest && progressOf(row.latest), own: row.own && progressOf(row.own) };
}

/** The whole message, so that only the header that was claimed finds its payment. */
function authorizationValues(authorization: SentAuthorization | null): unknown[] {
  if (authorization === null) return Array<null>(7).fill(null);
  const { from, nonce, network, to, value, validAfter, validBefore } = authorization;
  const bytes = Buffer.from(nonce.slice(2), 'hex');
  return [from.toLowerCase(), bytes, network, to.toLowerCase(), value, validAfter, validBefore];
}

function progressOf(row: ProgressRow): PaymentProgress {
  return {
    payment: paymentOf(row.payment),
    failureCode: row.failure_code,
    externalCostAmount: row.external_cost_amount === null ? null : atomicAmount(BigInt(row.external_cost_amount)),
    sentTransactionId: row.sent_transaction_id,
  };
}
