import { randomBytes } from 'node:crypto';
import { endpointContext, newEndpointSecret } from '@svc-pay/core';
import { DEFAULT_OVERLAP_SECONDS, rotatedSecret, rotateSecretRequest } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import { readBody } from '../read-body.ts';
import type { KeyedRoute } from '../route.ts';
import { endpointIdOf, NOT_FOUND } from './endpoint-id.ts';
import { NO_SEALER } from './judged-configuration.ts';

export const rotateSecret: KeyedRoute = {
  operationId: 'rotateSecret',
  method: 'POST',
  path: '/sdk/webhooks/endpoints/{endpointId}/rotate-secret',
  access: 'secret',
  scope: 'webhooks',
  summary: 'Give an endpoint a new secret',
  description:
    'During the overlap, a day unless told, deliveries carry the signatures of both secrets. Rotating again ends the overlap ' +
    'before it. The secret is shown here alone, and not when an Idempotency-Key is repeated.',
  body: { name: 'RotateSecretRequest', schema: rotateSecretRequest },
  bodyOptional: true,
  responses: {
    200: { description: 'The endpoint and its new secret', schema: { name: 'RotatedSecret', schema: rotatedSecret } },
  },
  refusals: ['not_found', 'endpoints_unavailable'],
  async handle({ ports }, { caller, params, body, claim }) {
    const id = endpointIdOf(params);
    if (id === undefined) return NOT_FOUND;
    const read = readBody(rotateSecretRequest, body);
    if (!read.ok) return read;
    const { sealer } = ports;
    if (sealer === undefined) return NO_SEALER;
    const overlapMs = (read.data.overlapSeconds ?? DEFAULT_OVERLAP_SECONDS) * 1_000;
    return ports.merchant.write(caller, claim, async ({ rotateSecret: rotate }) => {
      const secret = newEndpointSecret(randomBytes);
      const sealed = sealer.seal(secret, endpointContext(caller.accountId, id, 'endpoint-secret'));
      const endpoint = await rotate(id, sealed, overlapMs);
      if (endpoint === undefined) return NOT_FOUND;
      const { previousSecretExpiresAt } = endpoint;
      const kept = answerJson({ endpoint, secret: null, previousSecretExpiresAt }).answer;
      return { ok: true, answer: answerJson({ endpoint, secret, previousSecretExpiresAt }).answer, kept };
    });
  },
};
