import * as z from 'zod/mini';
import { answerJson } from './answer-json.ts';
import type { OpenRoute } from './route.ts';

export const health: OpenRoute = {
  operationId: 'health',
  method: 'GET',
  path: '/health',
  access: 'open',
  summary: 'Whether the process is alive',
  description: 'Asks nobody else, so that a broken database does not restart a healthy process.',
  responses: {
    200: { description: 'Alive', schema: { name: 'Health', schema: z.object({ status: z.literal('ok') }) } },
  },
  refusals: [],
  handle: () => answerJson({ status: 'ok' }),
};
