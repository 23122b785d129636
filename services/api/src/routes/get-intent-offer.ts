import { offerAgain } from '@svc-pay/core';
import { intentStatusResponse, paymentRequired } from '@svc-pay/protocol';
import { intentIdOf } from './intent-id.ts';
import type { RouteOutcome } from './outcome.ts';
import type { KeyedRoute } from './route.ts';
import { statusBody } from './status-body.ts';

export const getIntentOffer: KeyedRoute = {
  operationId: 'getIntentOffer',
  method: 'GET',
  path: '/sdk/public/payments/intents/{intentId}/x402',
  access: 'publishable',
  scope: 'read',
  takesClientSecret: true,
  summary: 'Get what may be signed for an intent',
  description:
    'For a page that pays an intent which the merchant’s server created: 402 with the acceptances as they were issued, while ' +
    'the intent may be paid; after payments that failed, with the bound nonce of the next attempt. A transaction among them may have expired; prepare another. `accepts` is empty, and `error` ' +
    'says so, where the intent can’t be paid by signature. Once nothing is to be signed any more the answer is 200 with what ' +
    'the GET of the intent answers.',
  responses: {
    402: {
      description: 'The normal answer: the acceptances of the intent',
      schema: { name: 'PaymentRequired', schema: paymentRequired },
    },
    200: {
      description: 'The intent is paid, being paid, canceled or expired, or its cap is confirmed: sign nothing',
      schema: { name: 'IntentStatusResponse', schema: intentStatusResponse },
    },
  },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params }) {
    const intentId = intentIdOf(params);
    if (intentId === undefined) return { ok: false, code: 'not_found', param: null };
    // The status is read last: acceptances are not shown for an intent that was taken meanwhile.
    const issued = await ports.loadIssued(caller, intentId);
    const situation = await ports.loadStatus(caller, intentId);
    if (situation === undefined) return { ok: false, code: 'not_found', param: null };
    const required = offerAgain(situation.intent, issued, ports.clock.nowMs());
    return required === undefined ? say(200, statusBody(situation, caller.kind)) : say(402, JSON.stringify(required));
  },
};

const say = (status: number, body: string): RouteOutcome => ({
  ok: true,
  answer: { status, headers: { 'cache-control': 'no-store' }, body },
  replayed: false,
});
