// An event about to be written. Its body is fixed here, except for the number of subscribed endpoints: only the
// database knows it, and the statement that writes the event inserts it between the two halves.
import { API_VERSION, type EventType } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type { Mode } from '../account/mode.ts';

export type CausedEvent = {
  readonly type: EventType;
  /** For `payment.updated`: the former values of the changed wire fields. */
  readonly previousAttributes?: Readonly<Record<string, unknown>>;
};

/** The intent or payment that an event reports on. */
export type EventSubject = {
  readonly intentId: Id<'paymentIntent'>;
  readonly paymentId: Id<'payment'> | null;
  readonly mode: Mode;
  /** Wire object that an event of this type carries as `data.object`. */
  readonly objectOf: (type: EventType) => Readonly<Record<string, unknown>>;
};

export type EventDraft = {
  readonly id: Id<'event'>;
  readonly type: EventType;
  readonly intentId: Id<'paymentIntent'>;
  readonly paymentId: Id<'payment'> | null;
  /** Increases by one with every event of an intent, so that a receiver can sort. */
  readonly sequence: number;
  readonly apiVersion: string;
  readonly requestId: string;
  readonly createdAtMs: number;
  /** JSON up to and including `"pending_webhooks":`. */
  readonly bodyBefore: string;
  /** JSON after that number. */
  readonly bodyAfter: string;
};

/** The request, or the internal job, that caused the events. */
export type Origin = { readonly requestId: string; readonly idempotencyKey: string | null };

export function draftEventsOf(
  subject: EventSubject,
  caused: readonly CausedEvent[],
  origin: Origin,
  nowMs: number,
  lastSequence: number,
): readonly EventDraft[] {
  return caused.map((event, index) => draftEvent(event, subject, origin, nowMs, lastSequence + 1 + index));
}

function draftEvent(
  event: CausedEvent,
  subject: EventSubject,
  origin: Origin,
  nowMs: number,
  sequence: number,
): EventDraft {
  const id = newId('event', nowMs);
  const { type, previousAttributes } = event;
  const before = {
    id,
    object: 'event',
    api_version: API_VERSION,
    created: Math.floor(nowMs / 1_000),
    data: {
      object: subject.objectOf(type),
      ...(previousAttributes !== undefined && { previous_attributes: previousAttributes }),
    },
    livemode: subject.mode === 'live',
  };
  const behind = { request: { id: origin.requestId, idempotency_key: origin.idempotencyKey }, type };
  return {
    id,
    type,
    intentId: subject.intentId,
    paymentId: type.startsWith('payment.') ? subject.paymentId : null,
    sequence,
    apiVersion: API_VERSION,
    requestId: origin.requestId,
    createdAtMs: nowMs,
    bodyBefore: `${JSON.stringify(before).slice(0, -1)},"pending_webhooks":`,
    bodyAfter: `,${JSON.stringify(behind).slice(1)}`,
  };
}
