import { randomBytes } from 'node:crypto';
import { endpointContext, newEndpointSecret } from '@svc-pay/core';
import { DEFAULT_RETRY_COUNT, DEFAULT_TIMEOUT_SECONDS, endpointConfiguration } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { createdEndpoint } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import { readBody } from '../read-body.ts';
import type { KeyedRoute } from '../route.ts';
import { fieldsOf, judgeConfiguration, NO_SEALER } from './judged-configuration.ts';
import { URL_REFUSALS } from './url-refusals.ts';

export const createEndpoint: KeyedRoute = {
  operationId: 'createEndpoint',
  method: 'POST',
  path: '/sdk/webhooks/endpoints',
  access: 'secret',
  scope: 'webhooks',
  summary: 'Create an endpoint',
  description:
    'From now on events of these types are delivered there. The secret verifies deliveries by Standard Webhooks and is shown ' +
    'here alone: with a repeated Idempotency-Key the same endpoint is answered without it.',
  body: { name: 'EndpointConfiguration', schema: endpointConfiguration },
  responses: {
    201: { description: 'The endpoint and its secret', schema: { name: 'CreatedEndpoint', schema: createdEndpoint } },
  },
  refusals: [...URL_REFUSALS, 'headers_invalid', 'endpoint_limit_reached', 'endpoints_unavailable'],
  async handle({ ports }, { caller, body, claim }) {
    const read = readBody(endpointConfiguration, body);
    if (!read.ok) return read;
    const refused = judgeConfiguration(ports, caller, read.data);
    if (refused !== undefined) return refused;
    const { sealer } = ports;
    if (sealer === undefined) return NO_SEALER;
    return ports.merchant.write(caller, claim, async ({ createEndpoint: create, nowMs }) => {
      const id = newId('endpoint', nowMs);
      const secret = newEndpointSecret(randomBytes);
      const { headers, ...given } = fieldsOf(sealer, caller, id, read.data);
      const endpoint = await create({
        id,
        url: read.data.url,
        eventTypes: given.eventTypes ?? [],
        retryCount: given.retryCount ?? DEFAULT_RETRY_COUNT,
        timeoutSeconds: given.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
        headerNames: headers?.names ?? [],
        headersCiphertext: headers?.ciphertext ?? null,
        secretCiphertext: sealer.seal(secret, endpointContext(caller.accountId, id, 'endpoint-secret')),
      });
      if (endpoint === undefined) return { ok: false, code: 'endpoint_limit_reached', param: null };
      // The answer stored for idempotent repeats is plain text, so it leaves out the secret.
      const kept = answerJson({ endpoint, secret: null }, 201).answer;
      return { ok: true, answer: answerJson({ endpoint, secret }, 201).answer, kept };
    });
  },
};
