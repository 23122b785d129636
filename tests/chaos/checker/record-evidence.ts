// What the database says happened, row by row, by SQL that shares nothing with the service's own.
import pg from 'pg';

export type IntentRow = {
  readonly id: string;
  readonly code: string;
  readonly status: string;
  readonly named: string | null;
};
export type PaymentRow = {
  readonly id: string;
  readonly account: string;
  readonly intent: string;
  readonly status: string;
  readonly payer: string;
  readonly paid: string | null;
  readonly fee: string | null;
  readonly refund: string | null;
  /** Sum of its completed refunds. */
  readonly refunded: string | null;
  readonly transaction: string | null;
  readonly place: string | null;
  readonly createdMs: number;
  readonly settlement: string | null;
  readonly cap: string | null;
  readonly settled: string | null;
  readonly batch: string | null;
  readonly nonce: string | null;
};
export type EntryRow = {
  readonly id: string;
  readonly payment: string;
  readonly asset: string;
  readonly name: string;
  readonly party: string;
  readonly amount: string;
  readonly transaction: string;
  readonly logIndex: number;
  readonly reverses: string | null;
  readonly commit: string;
};
type LossRow = {
  readonly batch: string;
  readonly payment: string | null;
  readonly payer: string | null;
  readonly amount: string;
  readonly transaction: string;
  readonly reverses: string | null;
  readonly cause: string;
};
type BatchRow = {
  readonly id: string;
  readonly relayer: string;
  readonly nonce: number;
  readonly status: string;
  readonly transaction: string;
  readonly items: number;
  readonly atMs: number;
  readonly duty: string;
};
type SignedRow = { readonly batch: string; readonly transaction: string; readonly raw: Buffer };
export type EventRow = {
  readonly id: string;
  readonly account: string;
  readonly type: string;
  readonly intent: string;
  readonly payment: string | null;
  readonly sequence: number;
  readonly body: Buffer;
  readonly atMs: number;
  readonly commit: string;
};
type DeliveryRow = {
  readonly event: string;
  readonly endpoint: string;
  readonly account: string;
  readonly status: string;
};
export type RefundRow = {
  readonly id: string;
  readonly payment: string;
  readonly intent: string;
  readonly kind: string;
  readonly status: string;
  readonly amount: string | null;
  readonly wallet: string;
  readonly recipient: string;
  readonly transaction: string | null;
  readonly logIndex: number | null;
  readonly failure: string | null;
  readonly reported: string | null;
  readonly commit: string;
  readonly createdMs: number;
  readonly completedMs: number | null;
};
type RefundTotalsRow = {
  readonly payment: string;
  readonly paid: string;
  readonly refunded: string;
  readonly reserved: string;
};
type EndpointRow = { readonly id: string; readonly account: string; readonly types: readonly string[] };

export type RecordEvidence = {
  readonly intents: readonly IntentRow[];
  readonly payments: readonly PaymentRow[];
  readonly entries: readonly EntryRow[];
  /** Gas that settled nothing. */
  readonly losses: readonly LossRow[];
  readonly batches: readonly BatchRow[];
  readonly signed: readonly SignedRow[];
  readonly events: readonly EventRow[];
  readonly deliveries: readonly DeliveryRow[];
  readonly endpoints: readonly EndpointRow[];
  /** Of every header and refund that was taken. */
  readonly signatures: readonly { readonly signature: Buffer }[];
  readonly refunds: readonly RefundRow[];
  readonly refundTotals: readonly RefundTotalsRow[];
};

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const QUERIES = {
  intents: 'select id, intent_code::text as code, status, payment_id as named from svc.intents',
  payments: `
    select p.id, p.account_id as account, p.intent_id as intent, p.status, p.payer, p.paid_amount::text as paid,
      p.fee_amount::text as fee, p.refund_amount::text as refund, p.refunded_amount::text as refunded,
      p.transaction_id as transaction,
      p.transaction_split_id as place, ${ms('p.created_at')} as "createdMs", s.status as settlement, s.cap::text as cap,
      s.settled_amount::text as settled, s.batch_id as batch, '0x' || encode(c.nonce, 'hex') as nonce
    from svc.payments p
    left join svc.settlements s on s.payment_id = p.id
    left join svc.claims c on c.claim_key = s.claim_key`,
  entries: `
    select id, payment_id as payment, asset, account_name as name, party, amount::text as amount,
      transaction_id as transaction, log_index as "logIndex", reverses, stored.commit
    from svc.ledger_entries
    join (
      select id, xmin::text as commit from svc.ledger_entry_rows
      union all
      select unnest(entry_ids), xmin::text from svc.ledger_bookings where amounts is not null
    ) stored using (id)
    order by id`,
  losses: `
    select batch_id as batch, payment_id as payment, payer, amount::text as amount, transaction_id as transaction, reverses,
      cause
    from svc.gas_losses order by id`,
  batches: `
    select b.id, b.relayer, b.nonce::integer as nonce, b.status, b.transaction_id as transaction, b.item_count as items,
      ${ms('b.created_at')} as "atMs", r.duty
    from svc.batches b join svc.relayers r on r.network = b.network and r.address = b.relayer order by b.relayer, b.nonce`,
  signed: 'select batch_id as batch, transaction_id as transaction, raw_transaction as raw from svc.batch_transactions',
  events: `
    select id, account_id as account, type, intent_id as intent, payment_id as payment, sequence, body,
      ${ms('created_at')} as "atMs", xmin::text as commit
    from svc.events order by intent_id, sequence`,
  deliveries: 'select event_id as event, endpoint_id as endpoint, account_id as account, status from svc.deliveries',
  endpoints: 'select id, account_id as account, event_types::text[] as types from svc.endpoints',
  signatures: `
    select signature from svc.authorizations
    union all select signature from svc.refunds where signature is not null`,
  refunds: `
    select id, payment_id as payment, intent_id as intent, kind, status, amount::text as amount, wallet, recipient,
      transaction_id as transaction, log_index as "logIndex", failure_code as failure, reported_transaction_id as reported,
      xmin::text as commit, ${ms('created_at')} as "createdMs", ${ms('completed_at')} as "completedMs"
    from svc.refunds order by id`,
  refundTotals: `
    select payment_id as payment, paid::text as paid, refunded::text as refunded, reserved::text as reserved
    from svc.refund_totals`,
} as const;

export async function readRecord(databaseUrl: string): Promise<RecordEvidence> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const read = async (name: keyof typeof QUERIES) => (await client.query(QUERIES[name])).rows as never[];
    return {
      intents: await read('intents'),
      payments: await read('payments'),
      entries: await read('entries'),
      losses: await read('losses'),
      batches: await read('batches'),
      signed: await read('signed'),
      events: await read('events'),
      deliveries: await read('deliveries'),
      endpoints: await read('endpoints'),
      signatures: await read('signatures'),
      refunds: await read('refunds'),
      refundTotals: await read('refundTotals'),
    };
  } finally {
    await client.end();
  }
}
