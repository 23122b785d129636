import type { CallFailure } from '../call/call-failure.ts';
import type { Connection, MakeOptions } from '../call/connection.ts';
import { segment } from '../call/path.ts';
import { withFields } from '../call/read-answer.ts';
import { ENDPOINTS, type EndpointFound } from './endpoint-answers.ts';

export type RotateOptions = MakeOptions & {
  /** How long the old secret goes on signing beside the new one; a day when left out, at most seven. */
  readonly overlapSeconds?: number;
};

export type SecretRotated = EndpointFound & {
  /** Null when the answer that showed it was lost, or when an idempotency key of your own was used before. */
  readonly secret: string | null;
  readonly previousSecretExpiresAt: string | null;
};

export async function rotateSecret(
  { call }: Connection,
  endpointId: string,
  { overlapSeconds, ...options }: RotateOptions = {},
): Promise<SecretRotated | CallFailure> {
  const read = withFields<Omit<SecretRotated, 'ok'>>({
    endpoint: 'object',
    secret: 'text or null',
    previousSecretExpiresAt: 'text or null',
  });
  const path = `${ENDPOINTS}/${segment(endpointId)}/rotate-secret`;
  const body = overlapSeconds === undefined ? {} : { overlapSeconds };
  const answer = await call({ method: 'POST', path, body, makes: true, read }, options);
  return answer.ok ? { ok: true, ...answer.value } : answer;
}
