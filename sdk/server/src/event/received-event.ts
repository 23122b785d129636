// Events by their type: a union in which `event.type` decides what `event.data.object` is.
import type { EventType, WebhookEvent } from '@svc-pay/protocol';
import type { LaterEvent } from '@svc-pay/protocol/webhook';

/** The event of one type, with its data. */
export type EventOf<Type extends EventType> = WebhookEvent extends infer Shape
  ? Shape extends { readonly type: infer Types }
    ? Type extends Types
      ? Omit<Shape, 'type'> & { readonly type: Type }
      : never
    : never
  : never;

/** Any event of a type that this release knows. */
export type KnownEvent = { [Type in EventType]: EventOf<Type> }[EventType];

export type ReceivedEvent =
  | { readonly known: true; readonly event: KnownEvent }
  | { readonly known: false; readonly event: LaterEvent };
