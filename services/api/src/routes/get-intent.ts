import { intentStatusResponse } from '@svc-pay/protocol';
import { intentIdOf } from './intent-id.ts';
import type { KeyedRoute } from './route.ts';
import { statusBody } from './status-body.ts';

export const getIntent: KeyedRoute = {
  operationId: 'getIntent',
  method: 'GET',
  path: '/sdk/public/payments/intents/{intentId}',
  access: 'publishable',
  scope: 'read',
  keyInQuery: true,
  takesClientSecret: true,
  summary: 'Get an intent',
  description: 'The intent and its latest payment as they are now.',
  responses: {
    200: {
      description: 'The intent and its latest payment',
      schema: { name: 'IntentStatusResponse', schema: intentStatusResponse },
    },
  },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params }) {
    const intentId = intentIdOf(params);
    const situation = intentId === undefined ? undefined : await ports.loadStatus(caller, intentId);
    if (situation === undefined) return { ok: false, code: 'not_found', param: null };
    const answer = { status: 200, headers: { 'cache-control': 'no-store' }, body: statusBody(situation, caller.kind) };
    return { ok: true, answer, replayed: false };
  },
};
