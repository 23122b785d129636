// Sending events again, and sending ones that were made up to try a receiver.
import { type EventDraft, isoTime } from '@svc-pay/core';
import { queueAgain } from '../deliveries/queue-again.ts';
import type { Work } from './work.ts';

export type Resent =
  | { readonly ok: true; readonly deliveries: number }
  | { readonly ok: false; readonly code: Refusal };
type Refusal = 'not_found' | 'endpoint_disabled';

/** To one endpoint, or to every one that is on and had the event or wants its type. */
export async function resendEvent(work: Work, eventId: string, endpointId: string | null): Promise<Resent> {
  const { accountId, mode } = work.caller;
  const event = await work.client.query('select from svc.events where account_id = $1 and mode = $2 and id = $3', [
    accountId,
    mode,
    eventId,
  ]);
  if (event.rowCount !== 1) return { ok: false, code: 'not_found' };
  if (endpointId !== null) {
    const status = await statusOf(work, endpointId);
    if (status !== 'enabled') return { ok: false, code: status === 'disabled' ? 'endpoint_disabled' : 'not_found' };
  }
  const { rows } = await work.client.query<{ count: number }>(
    `with target as (
       select endpoint.id from svc.endpoints endpoint
       where endpoint.account_id = $1 and endpoint.mode = $2 and endpoint.status = 'enabled'
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
       insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, next_at, created_at)
       select $1::text, $2::text, $3::text, id, 'pending', $5::timestamptz, $5::timestamptz from target
       ${queueAgain('$5::timestamptz')}
     )
     select count(*)::integer as count from target`,
    [accountId, mode, eventId, endpointId, isoTime(work.nowMs)],
  );
  const deliveries = rows[0]?.count ?? 0;
  await work.audit('event.resent', eventId, { endpointId, deliveries });
  return { ok: true, deliveries };
}

/** Undefined when it is not there. */
export async function statusOf(work: Work, endpointId: string): Promise<'enabled' | 'disabled' | undefined> {
  const { accountId, mode } = work.caller;
  const { rows } = await work.client.query<{ status: 'enabled' | 'disabled' }>(
    `select status from svc.endpoints where account_id = $1 and mode = $2 and id = $3 and status <> 'deleted'`,
    [accountId, mode, endpointId],
  );
  return rows[0]?.status;
}

/** The sample and its deliveries, and nothing else: neither an intent nor a payment is touched. */
export async function recordSample(work: Work, draft: EventDraft, endpointId: string | null): Promise<number> {
  const { accountId, mode } = work.caller;
  const { rows } = await work.client.query<{ count: number }>(
    `with target as (
       select id from svc.endpoints
       where account_id = $1 and mode = $2 and status = 'enabled'
         and case when $3::text is not null then id = $3 else $4::text = any (event_types) end
     ),
     written as (
       insert into svc.events (
         account_id, mode, id, type, intent_id, payment_id, sequence, api_version, body, request_id, created_at
       )
       select $1::text, $2::text, $5::text, $4::text, $6, $7, $8::integer, $9,
         convert_to($10::text || (select count(*) from target) || $11::text, 'UTF8'), $12, $13::timestamptz
     ),
     queued as (
       insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, next_at, created_at)
       select $1::text, $2::text, $5::text, id, 'pending', $13::timestamptz, $13::timestamptz from target
     )
     select count(*)::integer as count from target`,
    [
      accountId,
      mode,
      endpointId,
      draft.type,
      draft.id,
      draft.intentId,
      draft.paymentId,
      draft.sequence,
      draft.apiVersion,
      draft.bodyBefore,
      draft.bodyAfter,
      draft.requestId,
      isoTime(draft.createdAtMs),
    ],
  );
  return rows[0]?.count ?? 0;
}
