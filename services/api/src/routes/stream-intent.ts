import { intentIdOf } from './intent-id.ts';
import type { KeyedRoute } from './route.ts';

export const streamIntent: KeyedRoute = {
  operationId: 'streamIntent',
  method: 'GET',
  path: '/sdk/public/payments/intents/{intentId}/stream',
  access: 'publishable',
  scope: 'read',
  keyInQuery: true,
  takesClientSecret: true,
  summary: 'Follow an intent',
  description:
    'Server-sent events. `payment_intent_update` carries the body of the GET, at once and after every change. When the ' +
    'intent is completed, failed or canceled, `terminal` carries it once more and the stream ends. A mismatched intent can ' +
    'still be completed or canceled, so it is an update and the stream goes on. Streams also end after some minutes: ' +
    'clients connect again, as EventSource does by itself, and a client that has seen `terminal` is then answered 204. An ' +
    'address, a key and an intent may each have only so many streams open (429): ask with the GET instead.',
  responses: {
    200: { description: 'Events `payment_intent_update` and `terminal`', contentType: 'text/event-stream' },
    204: { description: 'The client has seen the end already (`Last-Event-ID: terminal`); it need not come again' },
  },
  refusals: ['not_found', 'service_unavailable'],
  async handle({ streams }, { caller, address, params, lastEventId }) {
    const intentId = intentIdOf(params);
    if (intentId === undefined) return { ok: false, code: 'not_found', param: null };
    return streams.open({ caller, address, intentId, lastEventId });
  },
};
