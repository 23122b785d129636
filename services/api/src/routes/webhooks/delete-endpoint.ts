import { deletedEndpoint } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { endpointIdOf, NOT_FOUND } from './endpoint-id.ts';

export const deleteEndpoint: KeyedRoute = {
  operationId: 'deleteEndpoint',
  method: 'DELETE',
  path: '/sdk/webhooks/endpoints/{endpointId}',
  access: 'secret',
  scope: 'webhooks',
  summary: 'Delete an endpoint',
  description: 'For ever. Deliveries that wait are discarded; one that is under way may still arrive.',
  responses: {
    200: { description: 'It is gone', schema: { name: 'DeletedEndpoint', schema: deletedEndpoint } },
  },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params }) {
    const id = endpointIdOf(params);
    if (id === undefined) return NOT_FOUND;
    return ports.merchant.write(caller, null, async ({ deleteEndpoint: remove }) =>
      (await remove(id)) ? answerJson({ id, deleted: true }) : NOT_FOUND,
    );
  },
};
