import { endpointResponse } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { endpointIdOf, NOT_FOUND } from './endpoint-id.ts';

export const getEndpoint: KeyedRoute = {
  operationId: 'getEndpoint',
  method: 'GET',
  path: '/sdk/webhooks/endpoints/{endpointId}',
  access: 'secret',
  scope: 'webhooks',
  summary: 'Get an endpoint',
  description: 'Header values are masked. While it fails, `disablesAt` says when it will be switched off.',
  responses: {
    200: { description: 'The endpoint', schema: { name: 'EndpointResponse', schema: endpointResponse } },
  },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params }) {
    const id = endpointIdOf(params);
    const endpoint = id === undefined ? undefined : await ports.merchant.read(caller).endpoint(id);
    return endpoint === undefined ? NOT_FOUND : answerJson({ endpoint });
  },
};
