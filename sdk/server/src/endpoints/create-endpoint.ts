// An endpoint's secret is shown in one answer. When that answer is lost, its repeat has the endpoint and no secret. Nobody
// has the secret then, so a new one takes its place and nothing is lost with the old one.
import type { EndpointConfiguration } from '@svc-pay/protocol';
import type { CallFailure } from '../call/call-failure.ts';
import type { Connection, MakeOptions } from '../call/connection.ts';
import { withFields } from '../call/read-answer.ts';
import { ENDPOINTS, type EndpointFound } from './endpoint-answers.ts';
import { rotateSecret } from './rotate-secret.ts';

export type EndpointCreated = EndpointFound & {
  /** `whsec_…`. Null when an idempotency key of your own was used before: it was shown then. Rotate if it is lost. */
  readonly secret: string | null;
};

const ROTATIONS = 3;

export async function createEndpoint(
  connection: Connection,
  configuration: EndpointConfiguration,
  options: MakeOptions = {},
): Promise<EndpointCreated | CallFailure> {
  const read = withFields<Omit<EndpointCreated, 'ok'>>({ endpoint: 'object', secret: 'text or null' });
  const answer = await connection.call(
    { method: 'POST', path: ENDPOINTS, body: configuration, makes: true, read },
    options,
  );
  if (!answer.ok) return answer;
  const created: EndpointCreated = { ok: true, ...answer.value };
  // Under a key of the caller's, an earlier call may have been shown the secret, and receivers may use it by now.
  if (created.secret !== null || options.idempotencyKey !== undefined) return created;
  for (let rotation = 1; rotation <= ROTATIONS; rotation += 1) {
    const rotated = await rotateSecret(connection, created.endpoint.id, { ...options, overlapSeconds: 0 });
    if (!rotated.ok) break;
    if (rotated.secret !== null) return { ok: true, endpoint: rotated.endpoint, secret: rotated.secret };
  }
  return created;
}
