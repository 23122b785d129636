// Events and their deliveries as part of the statement that changes the state. The number of subscribed endpoints is put
// into the body here, because only the database knows it at that moment.
import type { EventDraft } from '@svc-pay/core';

/**
 * Common table expressions that write the events in the JSON parameter `$events` for account `$1` and mode `$2`, with one
 * delivery per enabled endpoint subscribed to the type. `gate` is a relation: without a row in it nothing is written.
 */
export function eventExpressions(events: string, gate: string): string {
  return `
    event_row as (
      select * from json_to_recordset(${events}) as (
        id text, type text, intent_id text, payment_id text, sequence integer, api_version text, request_id text,
        created_at timestamptz, body_before text, body_after text
      ), ${gate}
    ),
    subscribed as (
      select event_row.id as event_id, endpoint.id as endpoint_id, event_row.created_at
      from event_row
      join svc.endpoints endpoint on endpoint.account_id = $1 and endpoint.mode = $2
        and endpoint.status = 'enabled' and event_row.type = any (endpoint.event_types)
    ),
    written_event as (
      insert into svc.events (
        account_id, mode, id, type, intent_id, payment_id, sequence, api_version, request_id, created_at, body
      )
      select $1, $2, id, type, intent_id, payment_id, sequence, api_version, request_id, created_at,
        convert_to(body_before || (select count(*) from subscribed where event_id = event_row.id) || body_after, 'UTF8')
      from event_row
    ),
    written_delivery as (
      insert into svc.deliveries (account_id, mode, event_id, endpoint_id, status, next_at, created_at)
      select $1, $2, event_id, endpoint_id, 'pending', created_at, created_at from subscribed
    )`;
}

export function eventRows(events: readonly EventDraft[]): string {
  return JSON.stringify(
    events.map((event) => ({
      id: event.id,
      type: event.type,
      intent_id: event.intentId,
      payment_id: event.paymentId,
      sequence: event.sequence,
      api_version: event.apiVersion,
      request_id: event.requestId,
      created_at: new Date(event.createdAtMs),
      body_before: event.bodyBefore,
      body_after: event.bodyAfter,
    })),
  );
}
