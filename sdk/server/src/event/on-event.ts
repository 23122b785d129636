// One function per event type. `default` is not optional: an endpoint may be subscribed to types that this release has
// never heard of, and what happens to them is a decision, not an accident.
import type { EventType } from '@svc-pay/protocol';
import type { LaterEvent } from '@svc-pay/protocol/webhook';
import type { EventOf, KnownEvent, ReceivedEvent } from './received-event.ts';

type Handled = unknown;

export type EventHandlers = {
  readonly [Type in EventType]?: (event: EventOf<Type>) => Handled;
} & {
  /** Gets every event without a function of its own, and every event of a later release. */
  readonly default: (event: KnownEvent | LaterEvent) => Handled;
};

/** Resolves when the function for the event's type has; what it throws is thrown. */
export function onEvent(handlers: EventHandlers): (received: ReceivedEvent) => Promise<void> {
  return async (received) => {
    const { event } = received;
    // A type comes from outside: `toString` names no handler.
    const own = received.known && Object.hasOwn(handlers, event.type) ? handlers[received.event.type] : undefined;
    // The table pairs each type with its own function, which the compiler can't follow through a lookup.
    const handler = (own ?? handlers.default) as (event: KnownEvent | LaterEvent) => Handled;
    await handler(event);
  };
}
