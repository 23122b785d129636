import { endpointResponse, endpointUpdate } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import { readBody } from '../read-body.ts';
import type { KeyedRoute } from '../route.ts';
import { endpointIdOf, NOT_FOUND } from './endpoint-id.ts';
import { fieldsOf, judgeConfiguration, NO_SEALER } from './judged-configuration.ts';
import { URL_REFUSALS } from './url-refusals.ts';

export const updateEndpoint: KeyedRoute = {
  operationId: 'updateEndpoint',
  method: 'PATCH',
  path: '/sdk/webhooks/endpoints/{endpointId}',
  access: 'secret',
  scope: 'webhooks',
  summary: 'Change an endpoint',
  description:
    'What is left out stays as it is; null sets what an endpoint has by itself. `headers` replaces all of them. Deliveries ' +
    'that wait go to where the endpoint is when they are tried.',
  body: { name: 'EndpointUpdate', schema: endpointUpdate },
  responses: {
    200: { description: 'The endpoint', schema: { name: 'EndpointResponse', schema: endpointResponse } },
  },
  refusals: ['not_found', ...URL_REFUSALS, 'headers_invalid', 'endpoints_unavailable'],
  async handle({ ports }, { caller, params, body }) {
    const id = endpointIdOf(params);
    if (id === undefined) return NOT_FOUND;
    const read = readBody(endpointUpdate, body);
    if (!read.ok) return read;
    const refused = judgeConfiguration(ports, caller, read.data);
    if (refused !== undefined) return refused;
    const { sealer } = ports;
    if (sealer === undefined) return NO_SEALER;
    return ports.merchant.write(caller, null, async ({ updateEndpoint: update }) => {
      const endpoint = await update(id, fieldsOf(sealer, caller, id, read.data));
      return endpoint === undefined ? NOT_FOUND : answerJson({ endpoint });
    });
  },
};
