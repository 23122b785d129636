import { enabledEndpoint, endpointResponse } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { endpointIdOf, NOT_FOUND } from './endpoint-id.ts';

export const enableEndpoint: KeyedRoute = {
  operationId: 'enableEndpoint',
  method: 'POST',
  path: '/sdk/webhooks/endpoints/{endpointId}/enable',
  access: 'secret',
  scope: 'webhooks',
  summary: 'Switch an endpoint on',
  description:
    'What waited for it goes out at once, with what had been given up since it began to fail; `replayed` says how many. ' +
    'Events that came while it was off were not kept for it: recover them. Takes no body.',
  responses: {
    200: { description: 'The endpoint, on', schema: { name: 'EnabledEndpoint', schema: enabledEndpoint } },
  },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params, claim }) {
    const id = endpointIdOf(params);
    if (id === undefined) return NOT_FOUND;
    return ports.merchant.write(caller, claim, async ({ enableEndpoint: enable }) => {
      const enabled = await enable(id);
      return enabled === undefined ? NOT_FOUND : answerJson(enabled);
    });
  },
};

export const disableEndpoint: KeyedRoute = {
  operationId: 'disableEndpoint',
  method: 'POST',
  path: '/sdk/webhooks/endpoints/{endpointId}/disable',
  access: 'secret',
  scope: 'webhooks',
  summary: 'Switch an endpoint off',
  description: 'Nothing is sent there until it is switched on again; what is on its way waits. Takes no body.',
  responses: {
    200: { description: 'The endpoint, off', schema: { name: 'EndpointResponse', schema: endpointResponse } },
  },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params, claim }) {
    const id = endpointIdOf(params);
    if (id === undefined) return NOT_FOUND;
    return ports.merchant.write(caller, claim, async ({ disableEndpoint: disable }) => {
      const endpoint = await disable(id);
      return endpoint === undefined ? NOT_FOUND : answerJson({ endpoint });
    });
  },
};
