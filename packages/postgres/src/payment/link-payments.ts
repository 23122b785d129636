// Writes which transaction pending payments name, with the events that tell of it, in the caller's transaction. If any row
// has changed since it was read, the statement fails as a whole.
import { isoTime, type LinkedItem, linkDraft, PAYMENT_STATUS, type PaymentLinkDraft } from '@svc-pay/core';
import type pg from 'pg';
import { expectedColumn } from '../database/planner.ts';
import { requireText } from '../database/require.ts';
import { columnArrays, namedParameters } from '../database/statement-parameters.ts';
import { sqlStatus } from '../database/status-sql.ts';
import { writeEvents } from '../event/write-events.ts';
import { loadIntentsToChange } from '../intent/load-intent.ts';

const GIVEN = namedParameters({ now: 'timestamptz' });
const { now } = GIVEN.at;

const LINKED = columnArrays<PaymentLinkDraft>(
  {
    account_id: ['text', ({ after }) => after.intent.accountId],
    mode: ['text', ({ after }) => after.intent.mode],
    intent_id: ['text', ({ after }) => after.intent.id],
    payment_id: ['text', ({ after }) => after.payment.id],
    transaction_id: ['text', ({ after }) => after.payment.transactionId],
    transaction_split_id: ['text', ({ after }) => after.payment.transactionSplitId],
    version: ['integer', ({ version }) => version],
    event_count: ['integer', ({ events }) => events.length],
  },
  GIVEN.next,
);

const LINK = {
  name: 'link-payments',
  text: `
    with linked as materialized (
      select linked.*, ${expectedColumn(sqlStatus(PAYMENT_STATUS.pending), 'expected')} from ${LINKED.unnest('linked')}
    ),
    payments as (
      update svc.payments payment
      set transaction_id = linked.transaction_id, transaction_split_id = linked.transaction_split_id,
        created_event = true, updated_at = ${now}
      from linked
      where payment.account_id = linked.account_id and payment.mode = linked.mode and payment.id = linked.payment_id
        and payment.status = linked.expected
      returning 1
    ),
    intents as (
      update svc.intents intent
      set event_sequence = event_sequence + linked.event_count, version = intent.version + 1, updated_at = ${now}
      from linked
      where intent.account_id = linked.account_id and intent.mode = linked.mode and intent.id = linked.intent_id
        and intent.version = linked.version and intent.payment_id = linked.payment_id
      returning 1
    )
    select ${requireText(
      '(select count(*) from payments) = count(*) and (select count(*) from intents) = count(*)',
      'a payment has changed since it was read',
    )} from linked`,
};

/** Payments that have their result, or that name the transaction already, stay as they are. */
export async function linkPayments(client: pg.ClientBase, linked: readonly LinkedItem[], nowMs: number): Promise<void> {
  if (linked.length === 0) return;
  const befores = await loadIntentsToChange(
    client,
    linked.map(({ item }) => item),
  );
  const drafts = linked.flatMap(
    ({ item, link, requestId }) => linkDraft(befores.get(item.intentId), { item, link }, { requestId, nowMs }) ?? [],
  );
  if (drafts.length === 0) return;
  await client.query({ ...LINK, values: [...GIVEN.values({ now: isoTime(nowMs) }), ...LINKED.values(drafts)] });
  await writeEvents(
    client,
    drafts.flatMap(({ after, events }) => events.map((event) => ({ event, owner: after.intent }))),
  );
}
