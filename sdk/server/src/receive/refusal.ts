// Why a delivery was refused, with a sentence for whoever runs the receiver. Codes may be answered to the sender; advice
// belongs in the receiver's own log. Neither ever holds a part of a secret, a signature or a body.
import type { ReadEvent, WebhookRefusal } from '@svc-pay/protocol/webhook';

export type RefusalCode = WebhookRefusal | Extract<ReadEvent, { ok: false }>['code'] | 'body_too_large';

export type Refusal = { readonly ok: false; readonly code: RefusalCode; readonly advice: string };

/** Where the receiver runs, for advice on getting at the raw body. */
export type Framework = 'express' | 'fastify' | 'hono' | 'next' | 'node';

const ADVICE: Readonly<Record<RefusalCode, string>> = {
  signature_missing:
    'The request carries no signature for the secrets given. Is it a delivery at all, and does a proxy drop its headers? ' +
    'Account keys (sk_…) need X-SVC-Signature; endpoint secrets (whsec_…) need webhook-id, webhook-timestamp and ' +
    'webhook-signature.',
  signature_malformed:
    'The signature header is repeated or not in its form. Check what stands between the sender and this server.',
  signature_mismatch:
    'No secret given here signed these bytes. Check that the secret is the one of this account or endpoint and of this ' +
    'mode (test or live), and that nothing changes the body on its way.',
  timestamp_out_of_tolerance:
    'The signature is good, but its time is too far from this server’s clock. Synchronise the clock; an old delivery sent ' +
    'again by somebody else looks the same.',
  body_not_raw_bytes:
    'The body was parsed before it was verified. Hand over the bytes as they came, as a Buffer or Uint8Array; JSON that is ' +
    'written again is other bytes.',
  body_not_json: 'The signature is good and the body is not JSON: this is not an event.',
  event_malformed: 'The event is of a known type and not in the shape this release knows. Update this package.',
  body_too_large: 'The body is larger than maxBodyBytes. Events are a few kilobytes.',
};

const RAW_BODY: Readonly<Record<Framework, string>> = {
  express:
    'Mount this route before app.use(express.json()), or give the route express.raw({ type: "*/*" }) and keep json() away ' +
    'from it.',
  fastify: 'Register this plugin as it is, without fastify-plugin, so that its own body parser applies to its route.',
  hono: 'Let no middleware before this handler read the body: c.req.json(), c.req.text() and validators use it up.',
  next: 'Do not read the request before this handler; in the pages router export config = { api: { bodyParser: false } }.',
  node: 'Call this handler before anything reads the request.',
};

export function refuse(code: RefusalCode, framework?: Framework): Refusal {
  const more = code === 'body_not_raw_bytes' && framework !== undefined ? ` ${RAW_BODY[framework]}` : '';
  return { ok: false, code, advice: `${ADVICE[code]}${more}` };
}
