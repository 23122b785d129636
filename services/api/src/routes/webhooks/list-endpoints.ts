import { endpointList, endpointQuery } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { readPage } from './read-page.ts';

export const listEndpoints: KeyedRoute = {
  operationId: 'listEndpoints',
  method: 'GET',
  path: '/sdk/webhooks/endpoints',
  access: 'secret',
  scope: 'webhooks',
  query: endpointQuery,
  summary: 'List endpoints',
  description: 'The endpoints of this mode, newest first.',
  responses: {
    200: { description: 'A page of endpoints', schema: { name: 'EndpointList', schema: endpointList } },
  },
  refusals: [],
  async handle({ ports }, { caller, query }) {
    const asked = readPage('endpoint', query);
    if (!asked.ok) return asked;
    return answerJson(await ports.merchant.read(caller).endpoints(asked.page.limit, asked.page.before));
  },
};
