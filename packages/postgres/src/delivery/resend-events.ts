// Sends stored events again, and sends sample events with which a merchant tests a receiver.
import { ENDPOINT_STATUS, type EndpointStatus, type EventDraft, isoTime } from '@svc-pay/core';
import { namedParameters } from '../database/statement-parameters.ts';
import { sqlIs, sqlIsNot } from '../database/status-sql.ts';
import { insertDeliveries, insertEvent, sqlGoesFirst } from '../event/insert-event.ts';
import { lockSentAgain } from '../event/lock-sent-again.ts';
import type { MerchantWork } from '../idempotency/merchant-write.ts';
import { queueAgain } from './requeue-delivery.ts';

const IS_ENABLED = sqlIs(ENDPOINT_STATUS.enabled);

/** Scalar query: docs/internals/planner-rules.md, rule 6. */
const GOES_FIRST = `coalesce((
  select ${sqlGoesFirst('e.type')} from svc.events e
  where e.account_id = $1 and e.mode = $2 and e.id = $3 limit 1
), false)`;

export type Resent =
  | { readonly ok: true; readonly deliveries: number }
  | { readonly ok: false; readonly code: Refusal };
type Refusal = 'not_found' | 'endpoint_disabled';

/** Resends to one endpoint, or to every enabled endpoint that had the event or wants its type. */
export async function resendEvent(work: MerchantWork, eventId: string, endpointId: string | null): Promise<Resent> {
  const { accountId, mode } = work.caller;
  await lockSentAgain(work.client);
  const event = await work.client.query('select from svc.events where account_id = $1 and mode = $2 and id = $3', [
    accountId,
    mode,
    eventId,
  ]);
  if (event.rowCount !== 1) return { ok: false, code: 'not_found' };
  if (endpointId !== null) {
    const status = await statusOf(work, endpointId);
    if (status !== ENDPOINT_STATUS.enabled)
      return { ok: false, code: status === ENDPOINT_STATUS.disabled ? 'endpoint_disabled' : 'not_found' };
  }
  const { rows } = await work.client.query<{ count: number }>(
    `with target as (
       select endpoint.id from svc.endpoints endpoint
       where endpoint.account_id = $1 and endpoint.mode = $2 and endpoint.status ${IS_ENABLED}
         and case when $4::text is not null then endpoint.id = $4 else
           exists (
             select from svc.events e
             where e.account_id = $1 and e.mode = $2 and e.id = $3 and e.type = any (endpoint.event_types)
           ) or exists (
             select from svc.deliveries d
             where d.account_id = $1 and d.mode = $2 and d.event_id = $3 and d.endpoint_id = endpoint.id
           )
         end
     ),
     queued as (
       ${insertDeliveries(
         {
           account_id: '$1::text',
           mode: '$2::text',
           event_id: '$3::text',
           endpoint_id: 'id',
           now: '$5::timestamptz',
           goes_first: GOES_FIRST,
         },
         'target',
       )}
       ${queueAgain('$5::timestamptz')}
     )
     select count(*)::integer as count from target`,
    [accountId, mode, eventId, endpointId, isoTime(work.nowMs)],
  );
  const deliveries = rows[0]?.count ?? 0;
  await work.audit('event.resent', eventId, { endpointId, deliveries });
  return { ok: true, deliveries };
}

type LiveStatus = Exclude<EndpointStatus, typeof ENDPOINT_STATUS.deleted>;

/** Undefined when the endpoint does not exist or is deleted. */
export async function statusOf(work: MerchantWork, endpointId: string): Promise<LiveStatus | undefined> {
  const { accountId, mode } = work.caller;
  const { rows } = await work.client.query<{ status: LiveStatus }>(
    `select status from svc.endpoints where account_id = $1 and mode = $2 and id = $3 and status ${sqlIsNot(ENDPOINT_STATUS.deleted)}`,
    [accountId, mode, endpointId],
  );
  return rows[0]?.status;
}

const SAMPLE = namedParameters({
  account_id: 'text',
  mode: 'text',
  endpoint_id: 'text',
  id: 'text',
  type: 'text',
  intent_id: 'text',
  payment_id: 'text',
  sequence: 'integer',
  api_version: 'text',
  request_id: 'text',
  created_at: 'timestamptz',
  body_before: 'text',
  body_after: 'text',
});
const { endpoint_id, ...sample } = SAMPLE.at;
const RECORD_SAMPLE = `
  with target as (
    select id from svc.endpoints
    where account_id = ${sample.account_id} and mode = ${sample.mode} and status ${IS_ENABLED}
      and case when ${endpoint_id} is not null then id = ${endpoint_id} else ${sample.type} = any (event_types) end
  ),
  ${insertEvent(sample, { count: '(select count(*) from target)', from: 'target', endpoint_id: 'target.id' })}
  select count(*)::integer as count from target`;

/** Writes the sample event and its deliveries. No intent and no payment is changed. */
export async function recordSample(work: MerchantWork, draft: EventDraft, endpointId: string | null): Promise<number> {
  const { accountId, mode } = work.caller;
  const { rows } = await work.client.query<{ count: number }>(
    RECORD_SAMPLE,
    SAMPLE.values({
      account_id: accountId,
      mode,
      endpoint_id: endpointId,
      id: draft.id,
      type: draft.type,
      intent_id: draft.intentId,
      payment_id: draft.paymentId,
      sequence: draft.sequence,
      api_version: draft.apiVersion,
      request_id: draft.requestId,
      created_at: isoTime(draft.createdAtMs),
      body_before: draft.bodyBefore,
      body_after: draft.bodyAfter,
    }),
  );
  const deliveries = rows[0]?.count ?? 0;
  await work.audit('event.sampled', draft.id, { type: draft.type, endpointId, deliveries });
  return deliveries;
}
