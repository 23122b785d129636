// An event about to be written. Its body is frozen at birth; the one number that only the database knows, how many
// endpoints are subscribed at that moment, is put between the two halves by the statement that writes it.
import { API_VERSION, type EventType } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { type CausedEvent, objectOf, type Snapshot } from './events-for.ts';

export type EventDraft = {
  readonly id: Id<'event'>;
  readonly type: EventType;
  readonly intentId: Id<'paymentIntent'>;
  readonly paymentId: Id<'payment'> | null;
  /** Grows by one with every event of an intent, so that a receiver can sort. */
  readonly sequence: number;
  readonly apiVersion: string;
  readonly requestId: string;
  readonly createdAtMs: number;
  /** JSON up to and including `"pending_webhooks":`. */
  readonly bodyBefore: string;
  /** JSON from the character after that number on. */
  readonly bodyAfter: string;
};

/** The request, or the internal job, that caused the events. */
export type Origin = { readonly requestId: string; readonly idempotencyKey: string | null };

export function draftEvents(
  caused: readonly CausedEvent[],
  after: Snapshot,
  origin: Origin,
  nowMs: number,
  lastSequence: number,
): readonly EventDraft[] {
  return caused.map((event, index) => draftEvent(event, after, origin, nowMs, lastSequence + 1 + index));
}

function draftEvent(event: CausedEvent, after: Snapshot, origin: Origin, nowMs: number, sequence: number): EventDraft {
  const id = newId('event', nowMs);
  const { type, previousAttributes } = event;
  const before = {
    id,
    object: 'event',
    api_version: API_VERSION,
    created: Math.floor(nowMs / 1_000),
    data: {
      object: objectOf(type, after),
      ...(previousAttributes !== undefined && { previous_attributes: previousAttributes }),
    },
    livemode: after.intent.mode === 'live',
  };
  const behind = { request: { id: origin.requestId, idempotency_key: origin.idempotencyKey }, type };
  return {
    id,
    type,
    intentId: after.intent.id,
    paymentId: type.startsWith('payment.') ? (after.payment?.id ?? null) : null,
    sequence,
    apiVersion: API_VERSION,
    requestId: origin.requestId,
    createdAtMs: nowMs,
    bodyBefore: `${JSON.stringify(before).slice(0, -1)},"pending_webhooks":`,
    bodyAfter: `,${JSON.stringify(behind).slice(1)}`,
  };
}
