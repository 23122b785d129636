// Events that a change of an intent causes. Events of its payments are in payment-events.ts.
import type { EventType } from '@svc-pay/protocol';
import {
  type CausedEvent,
  draftEventsOf,
  type EventDraft,
  type EventSubject,
  type Origin,
} from '../event/event-draft.ts';
import { type Intent, intentView, isConfirmed, snapshotView } from './intent.ts';
import { INTENT_STATUS } from './intent-transitions.ts';

/** Told to endpoints that name it. Where none does, it is not written. */
export const CANCELED_EVENT = 'payment_intent.canceled' satisfies EventType;

/** `before` is undefined when the change creates the intent. */
export function intentEvents(before: Intent | undefined, after: Intent): readonly CausedEvent[] {
  const events: CausedEvent[] = [];
  if (before === undefined) events.push({ type: 'payment_intent.created' });
  // The intent of an up-to payment expires with its authorization: another expiry means another authorization.
  const received = before === undefined || !isConfirmed(before) || before.expiresAtMs !== after.expiresAtMs;
  if (isConfirmed(after) && received) {
    events.push({ type: 'x402_upto_authorization_received' });
  }
  if (before !== undefined && before.status !== after.status && after.status === INTENT_STATUS.canceled)
    events.push({ type: CANCELED_EVENT });
  return events;
}

/** An intent that has no payment yet, as the subject of its events. */
export function intentSubject(intent: Intent): EventSubject {
  return {
    intentId: intent.id,
    paymentId: null,
    mode: intent.mode,
    objectOf: (type) => {
      const object = intentObject(type, intent);
      if (object === undefined) throw new Error(`${type} of intent ${intent.id} needs a payment`);
      return object;
    },
  };
}

/** Events of an intent that was canceled or has expired; `eventSequence` counts them already. */
export function canceledEvents(
  canceled: Intent,
  eventSequence: number,
  origin: Origin,
  nowMs: number,
): readonly EventDraft[] {
  const caused = intentEvents({ ...canceled, status: INTENT_STATUS.requires_payment }, canceled);
  return draftEventsOf(intentSubject(canceled), caused, origin, nowMs, eventSequence - caused.length);
}

/** Undefined for an event of a payment. */
export function intentObject(type: EventType, intent: Intent): Readonly<Record<string, unknown>> | undefined {
  if (type === 'payment_intent.created' || type === CANCELED_EVENT) return intentView(intent, 'secret');
  return type === 'x402_upto_authorization_received' ? snapshotView(intent) : undefined;
}
