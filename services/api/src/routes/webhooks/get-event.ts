import { eventDetail } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { eventIdOf, NOT_FOUND } from './endpoint-id.ts';

export const getEvent: KeyedRoute = {
  operationId: 'getEvent',
  method: 'GET',
  path: '/sdk/events/{eventId}',
  access: 'secret',
  scope: 'read',
  summary: 'Get an event',
  description: 'The envelope, each of its deliveries, and every attempt of the last three months.',
  responses: { 200: { description: 'The event', schema: { name: 'EventDetail', schema: eventDetail } } },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params }) {
    const id = eventIdOf(params);
    const event = id === undefined ? undefined : await ports.merchant.read(caller).event(id);
    return event === undefined ? NOT_FOUND : answerJson(event);
  },
};
