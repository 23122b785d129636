// From verified bytes to a typed event. A type of a later release is no error: an endpoint may be subscribed to it before
// its receiver is updated. A type of this release in another shape is one, since acting on half of it could lose money.
import * as z from 'zod/mini';
import { EVENT_TYPES, type WebhookEvent, webhookEvent } from '../wire/events.ts';

const laterEvent = z.looseObject({
  id: z.string().check(z.minLength(1)),
  object: z.literal('event'),
  type: z.string().check(z.minLength(1)),
});

/** An event whose type this release does not know: everything else in it is as it came, unchecked. */
export type LaterEvent = z.infer<typeof laterEvent>;

export type ReadEvent =
  | { readonly ok: true; readonly known: true; readonly event: WebhookEvent }
  | { readonly ok: true; readonly known: false; readonly event: LaterEvent }
  | { readonly ok: false; readonly code: 'body_not_json' | 'event_malformed' };

const TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);

/** Call it after the signature was verified. */
export function readWebhookEvent(body: Uint8Array): ReadEvent {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return { ok: false, code: 'body_not_json' };
  }
  const parsed = webhookEvent.safeParse(value);
  if (parsed.success) return { ok: true, known: true, event: parsed.data };
  const later = laterEvent.safeParse(value);
  if (later.success && !TYPES.has(later.data.type)) return { ok: true, known: false, event: later.data };
  return { ok: false, code: 'event_malformed' };
}
