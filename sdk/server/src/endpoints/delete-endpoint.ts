import type { CallFailure } from '../call/call-failure.ts';
import type { CallOptions, Connection } from '../call/connection.ts';
import { segment } from '../call/path.ts';
import { withFields } from '../call/read-answer.ts';
import { ENDPOINTS } from './endpoint-answers.ts';

export type EndpointDeleted = { readonly ok: true; readonly id: string; readonly deleted: true };

export async function deleteEndpoint(
  { callNoting }: Connection,
  id: string,
  options?: CallOptions,
): Promise<EndpointDeleted | CallFailure> {
  const read = withFields<Omit<EndpointDeleted, 'ok'>>({ id: 'text', deleted: 'flag' });
  const { result, mayBeRepeat } = await callNoting(
    { method: 'DELETE', path: `${ENDPOINTS}/${segment(id)}`, read },
    options,
  );
  if (result.ok) return { ok: true, ...result.value };
  // A deletion whose answer was lost is not there any more when it is asked for again.
  return mayBeRepeat && result.code === 'not_found' ? { ok: true, id, deleted: true } : result;
}
