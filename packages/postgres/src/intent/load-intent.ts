// Loads an intent and its latest payment.
import { type Caller, findToken, type Intent, type StoredPayment } from '@svc-pay/core';
import { atomicAmount, usd } from '@svc-pay/money';
import type { IntentStatus, NetworkId, PaymentStatus } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { ONE_BY_KEY } from '../database/planner.ts';
import { readServiceMetadata } from './service-metadata.ts';

export type IntentRow = {
  readonly account_id: Id<'account'>;
  readonly mode: Intent['mode'];
  readonly id: Id<'paymentIntent'>;
  readonly intent_code: string;
  readonly status: IntentStatus;
  readonly x402_upto: boolean;
  readonly amount: string;
  readonly token_shortcode: string;
  readonly network: NetworkId;
  readonly ledger_id: string;
  readonly amount_usd_atto: string | null;
  readonly description: string | null;
  readonly resource: string | null;
  readonly mime_type: string | null;
  readonly expected_sender: string | null;
  readonly payer_public_key: string | null;
  readonly metadata: string;
  readonly service_metadata: Intent['serviceMetadata'];
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly confirmed_payer: string | null;
  readonly confirmations: number;
  readonly has_parts: boolean;
};

/** A payment as `paymentJson` builds it: amounts and times are text. */
export type PaymentRow = {
  readonly id: Id<'payment'>;
  readonly status: PaymentStatus;
  readonly network: NetworkId;
  readonly token_shortcode: string;
  readonly asset: string;
  readonly payer: string | null;
  readonly amount: string;
  readonly requested_amount: string | null;
  readonly paid_amount: string | null;
  readonly usd_per_token_atto: string | null;
  readonly fee_amount: string | null;
  readonly refund_amount: string | null;
  readonly refunded_amount: string | null;
  readonly paid_total: string | null;
  readonly refund_due_amount: string | null;
  readonly splits: readonly { readonly recipient: string; readonly amount: string }[] | null;
  readonly failure_code: string | null;
  readonly transaction_id: string | null;
  readonly transaction_split_id: string | null;
  readonly settlement_number: string | null;
  readonly created_event: boolean;
  readonly created_at: string;
  readonly completed_at: string | null;
};

/** SQL for the payment row `alias` as JSON, for `paymentOf`. */
export const paymentJson = (alias: string) => `json_build_object(
        'id', ${alias}.id, 'status', ${alias}.status, 'network', ${alias}.network,
        'token_shortcode', ${alias}.token_shortcode, 'asset', ${alias}.asset, 'payer', ${alias}.payer,
        'amount', ${alias}.amount::text, 'requested_amount', ${alias}.requested_amount::text,
        'paid_amount', ${alias}.paid_amount::text, 'transaction_id', ${alias}.transaction_id,
        'transaction_split_id', ${alias}.transaction_split_id, 'settlement_number', ${alias}.settlement_number::text,
        'usd_per_token_atto', ${alias}.usd_per_token_atto::text, 'fee_amount', ${alias}.fee_amount::text,
        'refund_amount', ${alias}.refund_amount::text,
        'refunded_amount', ${alias}.refunded_amount::text, 'splits', ${alias}.splits, 'failure_code', ${alias}.failure_code,
        'paid_total', ${alias}.paid_total::text, 'refund_due_amount', ${alias}.refund_due_amount::text,
        'created_event', ${alias}.created_event, 'created_at', ${alias}.created_at, 'completed_at', ${alias}.completed_at
      )`;

const SELECT_STATUS = `
    select intent.*, confirmed.payer as confirmed_payer,
      case when payment.id is not null then ${paymentJson('payment')} end as payment
    from svc.intents intent
    left join lateral (
      select * from svc.payments named
      where named.account_id = intent.account_id and named.mode = intent.mode and named.id = intent.payment_id ${ONE_BY_KEY}
    ) payment on true
    left join lateral (
      select payer from svc.authorizations signed
      where intent.x402_upto and signed.account_id = intent.account_id and signed.mode = intent.mode
        and signed.intent_id = intent.id
      order by signed.created_at desc limit 1
    ) confirmed on true`;

const LOAD_STATUS = {
  name: 'load-status',
  text: `${SELECT_STATUS}
    where intent.account_id = $1 and intent.mode = $2 and intent.id = $3`,
};

const LOCK_INTENT = {
  name: 'lock-intent',
  text: 'select from svc.intents where account_id = $1 and mode = $2 and id = $3 for update',
};

const LOAD_STATUSES = {
  name: 'load-statuses',
  text: `${SELECT_STATUS}
    join unnest($1::text[], $2::text[], $3::text[]) as wanted (account_id, mode, id)
      on intent.account_id = wanted.account_id and intent.mode = wanted.mode and intent.id = wanted.id`,
};

export type IntentStatusRead = { readonly intent: Intent; readonly payment: StoredPayment | null };

export async function loadStatus(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  intentId: Id<'paymentIntent'>,
): Promise<IntentStatusRead | undefined> {
  const { rows } = await pool.query<IntentRow & { readonly payment: PaymentRow | null }>({
    ...LOAD_STATUS,
    values: [accountId, mode, intentId],
  });
  const [row] = rows;
  return row === undefined ? undefined : { intent: intentOf(row), payment: row.payment && paymentOf(row.payment) };
}

/** The intent with the version and event sequence that a write must name. */
export type IntentToChange = IntentStatusRead & { readonly version: number; readonly eventSequence: number };

/** Locks the intent until the caller's transaction ends, and loads it. */
export async function lockIntent(
  client: pg.ClientBase,
  { accountId, mode }: Pick<Intent, 'accountId' | 'mode'>,
  intentId: Id<'paymentIntent'>,
): Promise<IntentToChange | undefined> {
  const values = [accountId, mode, intentId];
  await client.query({ ...LOCK_INTENT, values });
  const { rows } = await client.query<ToChangeRow>({ ...LOAD_STATUS, values });
  return rows[0] && toChange(rows[0]);
}

/** Intents by intent id, without a lock. */
export async function loadIntentsToChange(
  client: pg.ClientBase,
  owners: readonly { readonly accountId: string; readonly mode: string; readonly intentId: string }[],
): Promise<ReadonlyMap<string, IntentToChange>> {
  const { rows } = await client.query<ToChangeRow>({
    ...LOAD_STATUSES,
    values: [
      owners.map(({ accountId }) => accountId),
      owners.map(({ mode }) => mode),
      owners.map(({ intentId }) => intentId),
    ],
  });
  return new Map(rows.map((row) => [row.id, toChange(row)]));
}

type ToChangeRow = IntentRow & {
  readonly payment: PaymentRow | null;
  readonly version: number;
  readonly event_sequence: number;
};

function toChange(row: ToChangeRow): IntentToChange {
  return {
    intent: intentOf(row),
    payment: row.payment && paymentOf(row.payment),
    version: row.version,
    eventSequence: row.event_sequence,
  };
}

export function intentOf(row: IntentRow): Intent {
  return {
    id: row.id,
    accountId: row.account_id,
    mode: row.mode,
    intentCode: Number(row.intent_code),
    status: row.status,
    upto: row.x402_upto,
    amount: atomicAmount(BigInt(row.amount)),
    tokenShortcode: row.token_shortcode,
    network: row.network,
    ledgerId: row.ledger_id,
    amountUsd: row.amount_usd_atto === null ? null : usd(BigInt(row.amount_usd_atto)),
    description: row.description,
    resource: row.resource,
    mimeType: row.mime_type,
    expectedSender: row.expected_sender,
    payerPublicKey: row.payer_public_key,
    metadata: JSON.parse(row.metadata) as Intent['metadata'],
    createdAtMs: row.created_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
    confirmedPayer: row.confirmed_payer,
    confirmations: row.confirmations,
    ...(row.has_parts && { hasParts: true as const }),
    ...readServiceMetadata(row.service_metadata),
  };
}

export function paymentOf(row: PaymentRow): StoredPayment {
  const amountOf = (text: string | null) => (text === null ? null : atomicAmount(BigInt(text)));
  return {
    id: row.id,
    status: row.status,
    network: row.network,
    tokenSymbol: findToken(row.token_shortcode)?.symbol ?? row.token_shortcode,
    tokenShortcode: row.token_shortcode,
    usdPerToken: row.usd_per_token_atto === null ? null : usd(BigInt(row.usd_per_token_atto)),
    asset: row.asset,
    payer: row.payer,
    amount: atomicAmount(BigInt(row.amount)),
    requestedAmount: amountOf(row.requested_amount),
    paidAmount: amountOf(row.paid_amount),
    feeAmount: amountOf(row.fee_amount),
    splits:
      row.splits && row.splits.map(({ recipient, amount }) => ({ recipient, amount: atomicAmount(BigInt(amount)) })),
    returnedAmount: amountOf(row.refund_amount),
    refundedAmount: amountOf(row.refunded_amount),
    paidTotal: amountOf(row.paid_total),
    refundDueAmount: amountOf(row.refund_due_amount),
    failureCode: row.failure_code,
    transactionId: row.transaction_id,
    transactionSplitId: row.transaction_split_id,
    settlementNumber: row.settlement_number === null ? null : Number(row.settlement_number),
    createdAtMs: Date.parse(row.created_at),
    completedAtMs: row.completed_at === null ? null : Date.parse(row.completed_at),
    announced: row.created_event,
  };
}
