import { deliveryList, deliveryQuery } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { endpointIdOf, NOT_FOUND } from './endpoint-id.ts';
import { readPage } from './read-page.ts';

export const listDeliveries: KeyedRoute = {
  operationId: 'listDeliveries',
  method: 'GET',
  path: '/sdk/webhooks/endpoints/{endpointId}/deliveries',
  access: 'secret',
  scope: 'webhooks',
  query: deliveryQuery,
  summary: 'List the deliveries of an endpoint',
  description: 'By their events, newest first. The attempts of one are with its event.',
  responses: { 200: { description: 'A page of deliveries', schema: { name: 'DeliveryList', schema: deliveryList } } },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params, query }) {
    const id = endpointIdOf(params);
    const asked = readPage('event', query);
    if (!asked.ok) return asked;
    const reads = ports.merchant.read(caller);
    if (id === undefined || (await reads.endpoint(id)) === undefined) return NOT_FOUND;
    return answerJson(await reads.deliveries(id, { ...asked.page, status: deliveryQuery.parse(query).status }));
  },
};
