// Writes payment results, reversals included: payments, intents, settlements, ledger entries, events and deliveries, in
// the caller's transaction. If any row has changed since it was read, nothing is written.
import {
  type Intent,
  isoTime,
  type LedgerEntry,
  type PaymentResultDraft,
  SETTLEMENT_STATUS,
  type SettlementStatus,
} from '@svc-pay/core';
import { UPTO_SETTLED_METADATA_KEY } from '@svc-pay/protocol';
import type pg from 'pg';
import { sameNames } from '../database/insert-text.ts';
import { expectedColumn } from '../database/planner.ts';
import { columnArrays, namedParameters } from '../database/statement-parameters.ts';
import { sqlIs } from '../database/status-sql.ts';
import { writeEvents } from '../event/write-events.ts';
import { splitsColumn } from './insert-payment.ts';
import { deleteProofs, insertProofs, requireProofs } from './log-proofs.ts';

const GIVEN = namedParameters({ now: 'timestamptz', settlement_from: 'text', foreign: 'boolean' });
const { now, foreign } = GIVEN.at;

const ENDED = columnArrays<PaymentResultDraft>(
  {
    account_id: ['text', ({ after }) => after.intent.accountId],
    mode: ['text', ({ after }) => after.intent.mode],
    intent_id: ['text', ({ after }) => after.intent.id],
    payment_id: ['text', ({ after }) => after.payment.id],
    intent_status: ['text', ({ after }) => after.intent.status],
    payment_status: ['text', ({ after }) => after.payment.status],
    payment_from: ['text', ({ paymentFrom }) => paymentFrom],
    transaction_id: ['text', ({ after }) => after.payment.transactionId],
    transaction_split_id: ['text', ({ after }) => after.payment.transactionSplitId],
    paid_amount: ['numeric', ({ after }) => after.payment.paidAmount?.toString() ?? null],
    fee_amount: ['numeric', ({ after }) => after.payment.feeAmount?.toString() ?? null],
    refund_amount: ['numeric', ({ after }) => after.payment.returnedAmount?.toString() ?? null],
    splits: ['jsonb', ({ after }) => splitsColumn(after.payment.splits)],
    external_cost_amount: ['numeric', ({ externalCostAtomic }) => externalCostAtomic?.toString() ?? null],
    completed_at: ['timestamptz', ({ after }) => timeOf(after.payment.completedAtMs)],
    failure_code: ['text', ({ after }) => after.payment.failureCode],
    settlement_status: ['text', ({ settlement }) => settlement],
    version: ['integer', ({ version }) => version],
    event_count: ['integer', ({ events }) => events.length],
    announced: ['boolean', ({ after }) => after.payment.announced],
    upto_settled: ['text', ({ after }) => uptoSettled(after.intent.serviceMetadata)],
    network: ['text', ({ after }) => after.payment.network],
    proof_log_index: ['integer', ({ proof }) => proof?.logIndex ?? null],
  },
  GIVEN.next,
);

const timeOf = (ms: number | null) => (ms === null ? null : isoTime(ms));

function uptoSettled({ [UPTO_SETTLED_METADATA_KEY]: amount }: Intent['serviceMetadata']): string | null {
  return typeof amount === 'string' ? amount : null;
}

const WRITE_STATES = {
  name: 'write-payment-results',
  text: `
    with ended as materialized (
      select ended.*, ${expectedColumn(GIVEN.at.settlement_from, 'settlement_from')}
      from ${ENDED.unnest('ended')}
    ),
    payments as (
      update svc.payments payment
      set status = ended.payment_status, transaction_id = ended.transaction_id,
        transaction_split_id = ended.transaction_split_id, paid_amount = ended.paid_amount,
        fee_amount = ended.fee_amount, refund_amount = ended.refund_amount, splits = ended.splits,
        external_cost_amount = ended.external_cost_amount, failure_code = ended.failure_code,
        created_event = ended.announced, completed_at = ended.completed_at, updated_at = ${now}
      from ended
      where payment.account_id = ended.account_id and payment.mode = ended.mode and payment.id = ended.payment_id
        and payment.status = ended.payment_from
      returning 1
    ),
    intents as (
      update svc.intents intent
      set status = ended.intent_status, event_sequence = event_sequence + ended.event_count, version = intent.version + 1,
        service_metadata = case when ended.upto_settled is null then intent.service_metadata
          else intent.service_metadata || jsonb_build_object('${UPTO_SETTLED_METADATA_KEY}', ended.upto_settled) end,
        updated_at = ${now}
      from ended
      where intent.account_id = ended.account_id and intent.mode = ended.mode and intent.id = ended.intent_id
        and intent.version = ended.version and intent.payment_id = ended.payment_id
      returning 1
    ),
    settlements as (
      update svc.settlements settlement
      set status = ended.settlement_status, updated_at = ${now},
        foreign_transaction_id = case when ${foreign} then ended.transaction_id end,
        relayer = case when not ${foreign} then settlement.relayer end,
        batch_id = case when not ${foreign} then settlement.batch_id end
      from ended
      where settlement.account_id = ended.account_id and settlement.mode = ended.mode
        and settlement.payment_id = ended.payment_id and settlement.status = ended.settlement_from
      returning settlement.network, settlement.solo_payer, settlement.status
    ),
    proven as (
      insert into svc.proven_wallets as known (network, payer, paid_at)
      select distinct network, solo_payer, ${now} from settlements
      where solo_payer is not null and status ${sqlIs(SETTLEMENT_STATUS.completed)}
      order by network, solo_payer
      on conflict (network, payer) do update set paid_at = excluded.paid_at
      where known.paid_at < excluded.paid_at - interval '1 day'
    ),
    proofs as (
      ${insertProofs(
        {
          ...sameNames('network', 'transaction_id', 'mode', 'account_id', 'payment_id'),
          log_index: 'proof_log_index',
          read: foreign,
          created_at: now,
        },
        'from ended where proof_log_index is not null',
      )}
      returning 1
    )
    select (select count(*) from payments)::integer as payments, (select count(*) from intents)::integer as intents,
      (select count(*) from settlements)::integer as settlements, (select count(*) from proofs)::integer as proofs`,
};

type Written = {
  readonly payments: number;
  readonly intents: number;
  readonly settlements: number;
  readonly proofs: number;
};

/**
 * `from` is the status that every settlement must have now. Throws, so that the transaction rolls back, if any row has
 * changed since it was read.
 */
export async function writePaymentResults(
  client: pg.ClientBase,
  results: readonly PaymentResultDraft[],
  from: SettlementStatus,
  nowMs: number,
): Promise<void> {
  const [first] = results;
  if (first === undefined) return;
  const isForeign = first.foreignTransactionId !== null;
  if (results.some(({ foreignTransactionId }) => (foreignTransactionId !== null) !== isForeign))
    throw new Error(`payment ${first.after.payment.id} ends by another kind of transaction than those beside it`);
  const given = GIVEN.values({ now: isoTime(nowMs), settlement_from: from, foreign: isForeign });
  const { rows } = await client.query<Written>({
    ...WRITE_STATES,
    values: [...given, ...ENDED.values(results)],
  });
  const [written] = rows;
  if (
    written?.payments !== results.length ||
    written.intents !== results.length ||
    written.settlements !== results.length
  ) {
    throw new Error(
      `${results.length} payments end, but the rows have changed: ${JSON.stringify(written)}; the first is ${first.after.payment.id}`,
    );
  }
  await requireProofs(client, results, written.proofs);
  await deleteProofs(
    client,
    results.flatMap(({ disproved }) => disproved ?? []),
  );
  await writeEntries(
    client,
    results.flatMap(({ entries }) => entries),
  );
  await writeEvents(
    client,
    results.flatMap(({ after, events }) => events.map((event) => ({ event, owner: after.intent }))),
  );
}

const ENTRIES = columnArrays<LedgerEntry>({
  account_id: ['text', ({ accountId }) => accountId],
  mode: ['text', ({ mode }) => mode],
  id: ['text', ({ id }) => id],
  payment_id: ['text', ({ paymentId }) => paymentId],
  network: ['text', ({ network }) => network],
  asset: ['text', ({ asset }) => asset],
  account_name: ['text', ({ accountName }) => accountName],
  party: ['text', ({ party }) => party],
  amount: ['numeric', ({ amountAtomic }) => amountAtomic.toString()],
  transaction_id: ['text', ({ transactionId }) => transactionId],
  log_index: ['integer', ({ logIndex }) => logIndex],
  reverses: ['text', ({ reverses }) => reverses],
  created_at: ['timestamptz', ({ createdAtMs }) => isoTime(createdAtMs)],
});
const WRITE_ENTRIES = { name: 'write-ledger-entries', text: ENTRIES.insertInto('svc.ledger_entries') };

export async function writeEntries(client: pg.ClientBase, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await client.query({ ...WRITE_ENTRIES, values: ENTRIES.values(entries) });
}
