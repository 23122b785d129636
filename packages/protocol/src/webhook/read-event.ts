// Parses verified bytes to a typed event. A type of a later release is no error: an endpoint may be subscribed to it
// before its receiver is updated. A known type in another shape is an error: acting on half of it could lose money.
import type * as z from 'zod/mini';
import {
  intentCanceledEvent,
  intentCreatedEvent,
  PAYMENT_EVENT_TYPES,
  paymentEvent,
  uptoAuthorizationReceivedEvent,
  type WebhookEvent,
} from '../wire/events.ts';

/** An event whose type this release does not know; its other fields are unchecked. */
export type LaterEvent = {
  readonly id: string;
  readonly object: 'event';
  readonly type: string;
  readonly [field: string]: unknown;
};

export type ReadEvent =
  | { readonly ok: true; readonly known: true; readonly event: WebhookEvent }
  | { readonly ok: true; readonly known: false; readonly event: LaterEvent }
  | { readonly ok: false; readonly code: 'body_not_json' | 'event_malformed' };

/** Looked up by type: a union tries each shape in turn, which took longer than all the rest of reading a payment. */
const SHAPE_OF = new Map<string, z.ZodMiniType<WebhookEvent>>([
  ['payment_intent.created', intentCreatedEvent],
  ['x402_upto_authorization_received', uptoAuthorizationReceivedEvent],
  ['payment_intent.canceled', intentCanceledEvent],
  ...PAYMENT_EVENT_TYPES.map((type) => [type, paymentEvent] as const),
]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Call only after the signature was verified. */
export function readWebhookEvent(body: Uint8Array): ReadEvent {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(body));
  } catch {
    return { ok: false, code: 'body_not_json' };
  }
  if (!isEvent(value)) return { ok: false, code: 'event_malformed' };
  const shape = SHAPE_OF.get(value.type);
  if (shape === undefined) return { ok: true, known: false, event: value };
  const known = shape.safeParse(value);
  return known.success ? { ok: true, known: true, event: known.data } : { ok: false, code: 'event_malformed' };
}

function isEvent(value: unknown): value is LaterEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { id, object, type } = value as Record<string, unknown>;
  return object === 'event' && typeof id === 'string' && id !== '' && typeof type === 'string' && type !== '';
}
