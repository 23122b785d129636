// Writes drafted events with their deliveries, in the caller's transaction.
import { ENDPOINT_STATUS, type EventDraft, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { sameNames } from '../database/insert-text.ts';
import { columnArrays } from '../database/statement-parameters.ts';
import { sqlIs } from '../database/status-sql.ts';
import { insertEvent } from './insert-event.ts';

type OwnedEvent = {
  readonly event: EventDraft;
  readonly owner: { readonly accountId: string; readonly mode: string };
};

const DRAFTED = columnArrays<OwnedEvent>({
  account_id: ['text', ({ owner }) => owner.accountId],
  mode: ['text', ({ owner }) => owner.mode],
  id: ['text', ({ event }) => event.id],
  type: ['text', ({ event }) => event.type],
  intent_id: ['text', ({ event }) => event.intentId],
  payment_id: ['text', ({ event }) => event.paymentId],
  sequence: ['integer', ({ event }) => event.sequence],
  api_version: ['text', ({ event }) => event.apiVersion],
  request_id: ['text', ({ event }) => event.requestId],
  created_at: ['timestamptz', ({ event }) => isoTime(event.createdAtMs)],
  body_before: ['text', ({ event }) => event.bodyBefore],
  body_after: ['text', ({ event }) => event.bodyAfter],
});

// Endpoints are looked up once per event: a join would compare every event with every delivery of the statement.
const WRITE_EVENTS = {
  name: 'write-events',
  text: `
    with drafted as materialized (
      select drafted.*, array(
          select endpoint.id from svc.endpoints endpoint
          where endpoint.account_id = drafted.account_id and endpoint.mode = drafted.mode
            and endpoint.status ${sqlIs(ENDPOINT_STATUS.enabled)} and drafted.type = any (endpoint.event_types)
        ) as subscribed
      from ${DRAFTED.unnest('drafted')}
    ),
    ${insertEvent(
      {
        ...sameNames('account_id', 'mode', 'id', 'type', 'intent_id', 'payment_id', 'sequence', 'api_version'),
        ...sameNames('request_id', 'created_at', 'body_before', 'body_after'),
      },
      {
        count: 'cardinality(subscribed)',
        from: 'drafted cross join lateral unnest(subscribed) as endpoint_id',
        endpoint_id: 'endpoint_id',
      },
      'drafted',
    )}
    select 1`,
};

export async function writeEvents(client: pg.ClientBase, events: readonly OwnedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await client.query({ ...WRITE_EVENTS, values: DRAFTED.values(events) });
}
