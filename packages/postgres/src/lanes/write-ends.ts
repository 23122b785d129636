// Payments that end, or whose end is taken back, written together: payments, intents, settlements, books, events and their deliveries, within the
// transaction of the caller. Each row must still be as it was read, or all of it is undone.
import { type EventDraft, isoTime, type LedgerEntry, type Snapshot } from '@svc-pay/core';
import { UPTO_SETTLED_METADATA_KEY } from '@svc-pay/protocol';
import type pg from 'pg';

export type EndedPayment = {
  readonly after: Snapshot & { readonly payment: NonNullable<Snapshot['payment']> };
  /** Of the intent, as it was read. */
  readonly version: number;
  readonly eventSequence: number;
  /** `batched` and `held` when a reorganisation took the end back. */
  readonly settlement: 'completed' | 'failed' | 'batched' | 'held';
  readonly failureCode: string | null;
  readonly feeAtomic: bigint | null;
  readonly refundAtomic: bigint | null;
  readonly externalCostAtomic: bigint | null;
  readonly events: readonly EventDraft[];
  readonly entries: readonly LedgerEntry[];
};

const WRITE_STATES = {
  name: 'write-ended-states',
  text: `
    with ended as materialized (
      -- What each must be until now stands in its row: as a plain word it would look so rare to the planner that it reads all
      -- payments for the pending ones, and compares each with each.
      select ended.*, $19::text as settlement_from, $20::text as payment_from from unnest(
        $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::numeric[],
        $11::numeric[], $12::numeric[], $13::numeric[], $14::text[], $15::text[], $16::integer[], $17::integer[],
        $18::boolean[]
      ) as ended (
        account_id, mode, intent_id, payment_id, intent_status, payment_status, transaction_id, transaction_split_id,
        paid_amount, fee_amount, refund_amount, external_cost_amount, failure_code, settlement_status, version,
        event_count, announced
      )
    ),
    payments as (
      update svc.payments payment
      set status = ended.payment_status, transaction_id = coalesce(ended.transaction_id, payment.transaction_id),
        transaction_split_id = ended.transaction_split_id, paid_amount = ended.paid_amount,
        fee_amount = ended.fee_amount, refund_amount = ended.refund_amount,
        external_cost_amount = ended.external_cost_amount, failure_code = ended.failure_code,
        created_event = payment.created_event or ended.announced,
        completed_at = case when ended.payment_status = 'completed' then $1::timestamptz end, updated_at = $1
      from ended
      where payment.account_id = ended.account_id and payment.mode = ended.mode and payment.id = ended.payment_id
        and payment.status = ended.payment_from
      returning 1
    ),
    intents as (
      update svc.intents intent
      set status = ended.intent_status, event_sequence = event_sequence + ended.event_count, version = intent.version + 1,
        service_metadata = case when intent.x402_upto and ended.payment_status = 'completed'
          then intent.service_metadata || jsonb_build_object('${UPTO_SETTLED_METADATA_KEY}', ended.paid_amount::text)
          else intent.service_metadata end,
        updated_at = $1
      from ended
      where intent.account_id = ended.account_id and intent.mode = ended.mode and intent.id = ended.intent_id
        and intent.version = ended.version and intent.payment_id = ended.payment_id
      returning 1
    ),
    settlements as (
      update svc.settlements settlement
      set status = ended.settlement_status, updated_at = $1
      from ended
      where settlement.account_id = ended.account_id and settlement.mode = ended.mode
        and settlement.payment_id = ended.payment_id and settlement.status = ended.settlement_from
      returning 1
    )
    select (select count(*) from payments)::integer as payments, (select count(*) from intents)::integer as intents,
      (select count(*) from settlements)::integer as settlements`,
};

/**
 * `from` is what their settlements must be until now. Throws, so that the transaction is undone, when any row has changed
 * since it was read.
 */
export async function writeEnds(
  client: pg.ClientBase,
  ends: readonly EndedPayment[],
  from: 'queued' | 'held' | 'batched' | 'mined' | 'completed',
  nowMs: number,
): Promise<void> {
  if (ends.length === 0) return;
  const column = <Value>(of: (end: EndedPayment) => Value) => ends.map(of);
  const { rows } = await client.query<{ payments: number; intents: number; settlements: number }>({
    ...WRITE_STATES,
    values: [
      isoTime(nowMs),
      column(({ after }) => after.intent.accountId),
      column(({ after }) => after.intent.mode),
      column(({ after }) => after.intent.id),
      column(({ after }) => after.payment.id),
      column(({ after }) => after.intent.status),
      column(({ after }) => after.payment.status),
      column(({ after }) => after.payment.transactionId),
      column(({ after }) => after.payment.transactionSplitId),
      column(({ after }) => after.payment.paidAmount?.toString() ?? null),
      column(({ feeAtomic }) => feeAtomic?.toString() ?? null),
      column(({ refundAtomic }) => refundAtomic?.toString() ?? null),
      column(({ externalCostAtomic }) => externalCostAtomic?.toString() ?? null),
      column(({ failureCode }) => failureCode),
      column(({ settlement }) => settlement),
      column(({ version }) => version),
      column(({ events }) => events.length),
      column(({ events }) => events.some(({ type }) => type === 'payment.created')),
      from,
      from === 'completed' ? 'completed' : 'pending',
    ],
  });
  const [written] = rows;
  if (written?.payments !== ends.length || written.intents !== ends.length || written.settlements !== ends.length) {
    throw new Error(`${ends.length} payments end, but the rows have changed: ${JSON.stringify(written)}`);
  }
  await writeEntries(
    client,
    ends.flatMap(({ entries }) => entries),
  );
  await writeEvents(
    client,
    ends.flatMap(({ after, events }) => events.map((event) => ({ event, owner: after.intent }))),
  );
}

const WRITE_ENTRIES = {
  name: 'write-ledger-entries',
  text: `
    insert into svc.ledger_entries (
      account_id, mode, id, payment_id, network, asset, account_name, party, amount, transaction_id, log_index, reverses,
      created_at
    )
    select * from unnest(
      $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::numeric[],
      $10::text[], $11::integer[], $12::text[], $13::timestamptz[]
    )`,
};

export async function writeEntries(client: pg.ClientBase, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const column = <Value>(of: (entry: LedgerEntry) => Value) => entries.map(of);
  await client.query({
    ...WRITE_ENTRIES,
    values: [
      column(({ accountId }) => accountId),
      column(({ mode }) => mode),
      column(({ id }) => id),
      column(({ paymentId }) => paymentId),
      column(({ network }) => network),
      column(({ asset }) => asset),
      column(({ accountName }) => accountName),
      column(({ party }) => party),
      column(({ amountAtomic }) => amountAtomic.toString()),
      column(({ transactionId }) => transactionId),
      column(({ logIndex }) => logIndex),
      column(({ reverses }) => reverses),
      column(({ createdAtMs }) => isoTime(createdAtMs)),
    ],
  });
}

// How many endpoints an event goes to is part of its body, and known only here. They are looked up once for each event: a join
// would compare every event with every delivery of the same statement.
const WRITE_EVENTS = {
  name: 'write-events',
  text: `
    with drafted as materialized (
      select drafted.*, array(
          select endpoint.id from svc.endpoints endpoint
          where endpoint.account_id = drafted.account_id and endpoint.mode = drafted.mode
            and endpoint.status = 'enabled' and drafted.type = any (endpoint.event_types)
        ) as subscribed
      from unnest(
        $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::text[], $9::text[],
        $10::timestamptz[], $11::text[], $12::text[]
      ) as drafted (
        account_id, mode, id, type, intent_id, payment_id, sequence, api_version, request_id, created_at, body_before,
        body_after
      )
    ),
    written_events as (
      insert into svc.events (
        account_id, mode, id, type, intent_id, payment_id, sequence, api_version, request_id, created_at, body
      )
      select account_id, mode, id, type, intent_id, payment_id, sequence, api_version, request_id, created_at,
        convert_to(body_before || cardinality(subscribed) || body_after, 'UTF8')
      from drafted
    )
    insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, next_at, created_at)
    select account_id, mode, id, endpoint_id, 'pending', created_at, created_at
    from drafted cross join lateral unnest(subscribed) as endpoint_id`,
};

type OwnedEvent = {
  readonly event: EventDraft;
  readonly owner: { readonly accountId: string; readonly mode: string };
};

export async function writeEvents(client: pg.ClientBase, events: readonly OwnedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const column = <Value>(of: (entry: OwnedEvent) => Value) => events.map(of);
  await client.query({
    ...WRITE_EVENTS,
    values: [
      column(({ owner }) => owner.accountId),
      column(({ owner }) => owner.mode),
      column(({ event }) => event.id),
      column(({ event }) => event.type),
      column(({ event }) => event.intentId),
      column(({ event }) => event.paymentId),
      column(({ event }) => event.sequence),
      column(({ event }) => event.apiVersion),
      column(({ event }) => event.requestId),
      column(({ event }) => isoTime(event.createdAtMs)),
      column(({ event }) => event.bodyBefore),
      column(({ event }) => event.bodyAfter),
    ],
  });
}
