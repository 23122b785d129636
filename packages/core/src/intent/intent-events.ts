// Events that a change of an intent causes. Events of its payments are in payment-events.ts.
import type { EventType } from '@svc-pay/protocol';
import type { CausedEvent, EventSubject } from '../event/event-draft.ts';
import { type Intent, intentView, isConfirmed, snapshotView } from './intent.ts';

/** `before` is undefined when the change creates the intent. */
export function intentEvents(before: Intent | undefined, after: Intent): readonly CausedEvent[] {
  const events: CausedEvent[] = [];
  if (before === undefined) events.push({ type: 'payment_intent.created' });
  // The intent of an up-to payment expires with its authorization: another expiry means another authorization.
  const received = before === undefined || !isConfirmed(before) || before.expiresAtMs !== after.expiresAtMs;
  if (isConfirmed(after) && received) {
    events.push({ type: 'x402_upto_authorization_received' });
  }
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

/** Undefined for an event of a payment. */
export function intentObject(type: EventType, intent: Intent): Readonly<Record<string, unknown>> | undefined {
  if (type === 'payment_intent.created') return intentView(intent, 'secret');
  return type === 'x402_upto_authorization_received' ? snapshotView(intent) : undefined;
}
