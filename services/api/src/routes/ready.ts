import * as z from 'zod/mini';
import { answerJson } from './answer-json.ts';
import type { OpenRoute } from './route.ts';

export const ready: OpenRoute = {
  operationId: 'ready',
  method: 'GET',
  path: '/ready',
  access: 'open',
  summary: 'Whether requests should be sent here',
  description: 'The database answers, its schema is the one this release needs, and the process is not stopping.',
  responses: {
    200: { description: 'Ready', schema: { name: 'Ready', schema: z.object({ status: z.literal('ready') }) } },
  },
  refusals: ['service_unavailable'],
  async handle({ ports, stopping }) {
    const reachable = ports.checkDatabase().then(
      () => true,
      () => false,
    );
    if (stopping() || !(await reachable)) return { ok: false, code: 'service_unavailable', param: null };
    return answerJson({ status: 'ready' });
  },
};
