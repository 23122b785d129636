// From verified bytes to a typed event.
import { type WebhookEvent, webhookEvent } from '../wire/events.ts';

export type ReadEvent =
  | { readonly ok: true; readonly event: WebhookEvent }
  | { readonly ok: false; readonly code: 'body_not_json' | 'event_unknown' };

/** Call it after the signature was verified. An event type of a later release reads as `event_unknown`. */
export function readWebhookEvent(body: Uint8Array): ReadEvent {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return { ok: false, code: 'body_not_json' };
  }
  const parsed = webhookEvent.safeParse(value);
  return parsed.success ? { ok: true, event: parsed.data } : { ok: false, code: 'event_unknown' };
}
