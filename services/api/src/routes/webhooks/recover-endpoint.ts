import { ENDPOINT_STATUS } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import { recoverRequest, recoveryResponse } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import { readBody } from '../read-body.ts';
import type { KeyedRoute } from '../route.ts';
import { DISABLED, endpointIdOf, NOT_FOUND, recoveryIdOf } from './endpoint-id.ts';

export const recoverEndpoint: KeyedRoute = {
  operationId: 'recoverEndpoint',
  method: 'POST',
  path: '/sdk/webhooks/endpoints/{endpointId}/recover',
  access: 'secret',
  scope: 'webhooks',
  summary: 'Send a range of events again',
  description:
    '`failed`, unless told otherwise: what the endpoint did not get since it exists, also what came while it was off. `all`: ' +
    'every event of the range. Of the types it subscribes to, or of those that are named. A job does it; one at a time per ' +
    'endpoint.',
  body: { name: 'RecoverRequest', schema: recoverRequest },
  responses: { 202: { description: 'The job', schema: { name: 'RecoveryResponse', schema: recoveryResponse } } },
  refusals: ['not_found', 'endpoint_disabled', 'recovery_in_progress', 'time_range_invalid'],
  async handle({ ports }, { caller, params, body, claim }) {
    const endpointId = endpointIdOf(params);
    if (endpointId === undefined) return NOT_FOUND;
    const read = readBody(recoverRequest, body);
    if (!read.ok) return read;
    const { from, to, types, only } = read.data;
    const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
    if (!(fromMs < toMs)) return { ok: false, code: 'time_range_invalid', param: 'to' };
    return ports.merchant.write(caller, claim, async ({ statusOf, beginReplay, nowMs }) => {
      const status = await statusOf(endpointId);
      if (status !== ENDPOINT_STATUS.enabled) return status === undefined ? NOT_FOUND : DISABLED;
      const id = newId('replay', nowMs);
      const order = { id, endpointId, fromMs, toMs, types: types ?? null, scope: only ?? 'failed' } as const;
      const recovery = await beginReplay(order);
      if (recovery === undefined) return { ok: false, code: 'recovery_in_progress', param: null };
      return answerJson({ recovery }, 202);
    });
  },
};

export const getRecovery: KeyedRoute = {
  operationId: 'getRecovery',
  method: 'GET',
  path: '/sdk/webhooks/recoveries/{recoveryId}',
  access: 'secret',
  scope: 'webhooks',
  summary: 'Get a recovery',
  description: 'How far it has come: `examined` of `total` events, and how many deliveries it has put into the queue.',
  responses: { 200: { description: 'The job', schema: { name: 'RecoveryResponse', schema: recoveryResponse } } },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params }) {
    const id = recoveryIdOf(params);
    const recovery = id === undefined ? undefined : await ports.merchant.read(caller).replay(id);
    return recovery === undefined ? NOT_FOUND : answerJson({ recovery });
  },
};
