import { timelineView } from '@svc-pay/core';
import { paymentTimeline } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import { intentIdOf } from '../intent-id.ts';
import type { KeyedRoute } from '../route.ts';

export const getTimeline: KeyedRoute = {
  operationId: 'getTimeline',
  method: 'GET',
  path: '/sdk/payment-intents/{intentId}/timeline',
  access: 'secret',
  scope: 'read',
  quota: 'lists',
  summary: 'Get the timeline of an intent',
  description:
    'Everything that happened to the intent and its money, oldest first: offers, refused attempts, signatures, payments, batches, ' +
    'transactions with their fee bumps, final blocks, ledger entries to the unit, events with each delivery attempt, refunds. ' +
    'All of it as it was at `asOf`. `why` is a code of the error reference or one of a fixed list. `truncated` says ' +
    'when more is stored than is shown: then the newest are shown. An intent that was canceled at a time that nothing tells has no ' +
    '`intent_canceled`.',
  responses: { 200: { description: 'The timeline', schema: { name: 'PaymentTimeline', schema: paymentTimeline } } },
  refusals: ['not_found'],
  async handle({ ports }, { caller, params }) {
    const intentId = intentIdOf(params);
    const rows = intentId === undefined ? undefined : await ports.lists.timeline(caller, intentId);
    return rows === undefined ? { ok: false, code: 'not_found', param: null } : answerJson(timelineView(rows));
  },
};
