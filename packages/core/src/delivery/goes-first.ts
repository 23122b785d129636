// Events of payments go before others, in slots that are kept for them: anybody with a publishable key can cause any
// number of `payment_intent.created`, and a merchant waits for `payment.completed`.
import { EVENT_TYPES, type EventType } from '@svc-pay/protocol';

/** Part of the slots of an endpoint, and of a process, that is kept for deliveries that go first. */
const KEPT_PART = 4;

export function goesFirst(type: EventType): boolean {
  return type.startsWith('payment.');
}

/** Types whose deliveries go first. */
export const FIRST_EVENT_TYPES: readonly EventType[] = EVENT_TYPES.filter(goesFirst);

/** A quarter, rounded down, but one of two or three. Of a single slot nothing can be kept. */
export function keptSlots(slots: number): number {
  return slots < 2 ? 0 : Math.max(1, Math.floor(slots / KEPT_PART));
}
