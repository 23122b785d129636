// An intent and its latest payment, as the owner may see them.
import { type Caller, type Intent, type Payment, TOKENS } from '@svc-pay/core';
import { atomicAmount, usd } from '@svc-pay/money';
import type { IntentStatus, NetworkId, PaymentStatus } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';

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
};

/** As `json_build_object` writes it: amounts as text, times as text. */
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
  readonly transaction_id: string | null;
  readonly transaction_split_id: string | null;
  readonly settlement_number: string | null;
  readonly created_event: boolean;
  readonly created_at: string;
  readonly completed_at: string | null;
};

/** A payment of this alias as JSON, for `paymentOf`. */
export const paymentJson = (alias: string) => `json_build_object(
        'id', ${alias}.id, 'status', ${alias}.status, 'network', ${alias}.network,
        'token_shortcode', ${alias}.token_shortcode, 'asset', ${alias}.asset, 'payer', ${alias}.payer,
        'amount', ${alias}.amount::text, 'requested_amount', ${alias}.requested_amount::text,
        'paid_amount', ${alias}.paid_amount::text, 'transaction_id', ${alias}.transaction_id,
        'transaction_split_id', ${alias}.transaction_split_id, 'settlement_number', ${alias}.settlement_number::text,
        'created_event', ${alias}.created_event, 'created_at', ${alias}.created_at, 'completed_at', ${alias}.completed_at
      )`;

// `limit 1` keeps the look at the payment apart: joined freely, a plan made without values may read every payment of the
// account instead of the one that is named.
const SELECT_STATUS = `
    select intent.*, confirmed.payer as confirmed_payer,
      case when payment.id is not null then ${paymentJson('payment')} end as payment
    from svc.intents intent
    left join lateral (
      select * from svc.payments named
      where named.account_id = intent.account_id and named.mode = intent.mode and named.id = intent.payment_id limit 1
    ) payment on true
    left join lateral (
      select payer from svc.authorizations signed
      where signed.account_id = intent.account_id and signed.mode = intent.mode and signed.intent_id = intent.id
      order by signed.created_at desc limit 1
    ) confirmed on intent.x402_upto`;

const LOAD_STATUS = {
  name: 'load-status',
  text: `${SELECT_STATUS}
    where intent.account_id = $1 and intent.mode = $2 and intent.id = $3`,
};

const LOAD_STATUSES = {
  name: 'load-statuses',
  text: `${SELECT_STATUS}
    join unnest($1::text[], $2::text[], $3::text[]) as wanted (account_id, mode, id)
      on intent.account_id = wanted.account_id and intent.mode = wanted.mode and intent.id = wanted.id`,
};

export type IntentStatusRead = { readonly intent: Intent; readonly payment: Payment | null };

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

/** What a writer must name to change the intent, beside how it stands. */
export type IntentToChange = IntentStatusRead & { readonly version: number; readonly eventSequence: number };

/** By intent id. */
export async function loadIntentsToChange(
  client: pg.ClientBase,
  owners: readonly { readonly accountId: string; readonly mode: string; readonly intentId: string }[],
): Promise<ReadonlyMap<string, IntentToChange>> {
  const { rows } = await client.query<
    IntentRow & { payment: PaymentRow | null; version: number; event_sequence: number }
  >({
    ...LOAD_STATUSES,
    values: [
      owners.map(({ accountId }) => accountId),
      owners.map(({ mode }) => mode),
      owners.map(({ intentId }) => intentId),
    ],
  });
  return new Map(
    rows.map((row) => [
      row.id,
      {
        intent: intentOf(row),
        payment: row.payment && paymentOf(row.payment),
        version: row.version,
        eventSequence: row.event_sequence,
      },
    ]),
  );
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
    serviceMetadata: row.service_metadata,
    createdAtMs: row.created_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
    confirmedPayer: row.confirmed_payer,
  };
}

export function paymentOf(row: PaymentRow): Payment {
  const amountOf = (text: string | null) => (text === null ? null : atomicAmount(BigInt(text)));
  return {
    id: row.id,
    status: row.status,
    network: row.network,
    tokenSymbol: TOKENS.find(({ shortcode }) => shortcode === row.token_shortcode)?.symbol ?? row.token_shortcode,
    asset: row.asset,
    payer: row.payer,
    amount: atomicAmount(BigInt(row.amount)),
    requestedAmount: amountOf(row.requested_amount),
    paidAmount: amountOf(row.paid_amount),
    transactionId: row.transaction_id,
    transactionSplitId: row.transaction_split_id,
    settlementNumber: row.settlement_number === null ? null : Number(row.settlement_number),
    createdAtMs: Date.parse(row.created_at),
    completedAtMs: row.completed_at === null ? null : Date.parse(row.completed_at),
    announced: row.created_event,
  };
}
