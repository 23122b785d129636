import { isId } from '@svc-pay/protocol/ids';
import { resendRequest, resent } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import { readBody } from '../read-body.ts';
import type { KeyedRoute } from '../route.ts';
import { eventIdOf, NOT_FOUND } from './endpoint-id.ts';

export const resendEvent: KeyedRoute = {
  operationId: 'resendEvent',
  method: 'POST',
  path: '/sdk/events/{eventId}/resend',
  access: 'secret',
  scope: 'webhooks',
  summary: 'Send an event again',
  description:
    'To one endpoint, or to every one that is on and had the event or subscribes to its type. The same bytes and the same id ' +
    'go out, with all retries; attempts are counted on.',
  body: { name: 'ResendRequest', schema: resendRequest },
  bodyOptional: true,
  responses: { 202: { description: 'How many endpoints get it', schema: { name: 'Resent', schema: resent } } },
  refusals: ['not_found', 'endpoint_disabled'],
  async handle({ ports }, { caller, params, body, claim }) {
    const id = eventIdOf(params);
    const read = readBody(resendRequest, body);
    if (!read.ok) return read;
    const endpointId = read.data.endpointId ?? null;
    if (id === undefined || (endpointId !== null && !isId('endpoint', endpointId))) return NOT_FOUND;
    return ports.merchant.write(caller, claim, async ({ resendEvent: resend }) => {
      const done = await resend(id, endpointId);
      return done.ok ? answerJson({ deliveries: done.deliveries }, 202) : { ok: false, code: done.code, param: null };
    });
  },
};
