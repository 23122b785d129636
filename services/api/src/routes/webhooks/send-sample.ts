// Sends made-up events to try a receiver. Refused in live mode, where one could make a shop ship unpaid goods.
import { draftSample, ENDPOINT_STATUS } from '@svc-pay/core';
import { sampleRequest, sentSample, triggeredSample } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { RouteOutcome } from '../outcome.ts';
import { readBody } from '../read-body.ts';
import type { KeyedRoute } from '../route.ts';
import { DISABLED, endpointIdOf, NOT_FOUND } from './endpoint-id.ts';

const TEST_ONLY = { ok: false, code: 'test_mode_only', param: null } as const satisfies RouteOutcome;

export const testEndpoint: KeyedRoute = {
  operationId: 'testEndpoint',
  method: 'POST',
  path: '/sdk/webhooks/endpoints/{endpointId}/test',
  access: 'secret',
  scope: 'webhooks',
  summary: 'Send a sample to one endpoint',
  description:
    'Test mode only. A made-up event of any type, whether or not the endpoint subscribes to it, with `svc_sample` in its ' +
    'metadata. No intent and no payment is behind it.',
  body: { name: 'SampleRequest', schema: sampleRequest },
  responses: { 202: { description: 'It is on its way', schema: { name: 'SentSample', schema: sentSample } } },
  refusals: ['not_found', 'endpoint_disabled', 'test_mode_only'],
  async handle({ ports }, { caller, params, body, claim, requestId }) {
    if (caller.mode !== 'test') return TEST_ONLY;
    const id = endpointIdOf(params);
    if (id === undefined) return NOT_FOUND;
    const read = readBody(sampleRequest, body);
    if (!read.ok) return read;
    return ports.merchant.write(caller, claim, async ({ statusOf, recordSample, nowMs }) => {
      const status = await statusOf(id);
      if (status !== ENDPOINT_STATUS.enabled) return status === undefined ? NOT_FOUND : DISABLED;
      const origin = { requestId, idempotencyKey: claim?.key ?? null };
      const draft = draftSample(caller.accountId, read.data.type, origin, nowMs);
      await recordSample(draft, id);
      return answerJson({ eventId: draft.id }, 202);
    });
  },
};

export const triggerEvent: KeyedRoute = {
  operationId: 'triggerEvent',
  method: 'POST',
  path: '/sdk/events/trigger',
  access: 'secret',
  scope: 'webhooks',
  summary: 'Send a sample to every subscribed endpoint',
  description: 'Test mode only. As if such an event had happened, with `svc_sample` in its metadata.',
  body: { name: 'SampleRequest', schema: sampleRequest },
  responses: {
    202: { description: 'How many endpoints get it', schema: { name: 'TriggeredSample', schema: triggeredSample } },
  },
  refusals: ['test_mode_only'],
  async handle({ ports }, { caller, body, claim, requestId }) {
    if (caller.mode !== 'test') return TEST_ONLY;
    const read = readBody(sampleRequest, body);
    if (!read.ok) return read;
    return ports.merchant.write(caller, claim, async ({ recordSample, nowMs }) => {
      const origin = { requestId, idempotencyKey: claim?.key ?? null };
      const draft = draftSample(caller.accountId, read.data.type, origin, nowMs);
      return answerJson({ eventId: draft.id, deliveries: await recordSample(draft, null) }, 202);
    });
  },
};
