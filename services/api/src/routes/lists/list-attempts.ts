import { attemptList } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import { intentIdOf } from '../intent-id.ts';
import type { KeyedRoute } from '../route.ts';
import { attemptBody } from './attempt-body.ts';

export const listAttempts: KeyedRoute = {
  operationId: 'listAttempts',
  method: 'GET',
  path: '/sdk/payment-intents/{intentId}/attempts',
  access: 'secret',
  scope: 'read',
  summary: 'List refused attempts to pay an intent',
  description:
    'Newest first. Each pair of code and payer is kept once, at most 20 of an intent, for three months. A payer is named as the ' +
    'header claimed: a refused signature proves nobody.',
  responses: { 200: { description: 'The attempts', schema: { name: 'AttemptList', schema: attemptList } } },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params }) {
    const intentId = intentIdOf(params);
    const found = intentId === undefined ? undefined : await ports.lists.attempts(caller, intentId);
    if (intentId === undefined || found === undefined) return { ok: false, code: 'not_found', param: null };
    const data = found.map((attempt) => attemptBody(intentId, attempt));
    return answerJson({ data, hasMore: false });
  },
};
