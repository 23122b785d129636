import { isId } from '@svc-pay/protocol/ids';
import { eventList, eventQuery } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { readPage } from './read-page.ts';

const EMPTY = { data: [], hasMore: false };

export const listEvents: KeyedRoute = {
  operationId: 'listEvents',
  method: 'GET',
  path: '/sdk/events',
  access: 'secret',
  scope: 'read',
  query: eventQuery,
  summary: 'List events',
  description:
    'Newest first, by type, intent, payment, time and whether they arrived; filters add up. Times include `createdAfter` and ' +
    'exclude `createdBefore`. The cursor stays where it is while events are added.',
  responses: { 200: { description: 'A page of events', schema: { name: 'EventList', schema: eventList } } },
  refusals: [],
  async handle({ ports }, { caller, query }) {
    const asked = readPage('event', query);
    if (!asked.ok) return asked;
    const { type, intentId, paymentId, createdAfter, createdBefore, undelivered } = eventQuery.parse(query);
    // Text that cannot be an id matches no event.
    if (intentId !== undefined && !isId('paymentIntent', intentId)) return answerJson(EMPTY);
    if (paymentId !== undefined && !isId('payment', paymentId)) return answerJson(EMPTY);
    const page = await ports.merchant.read(caller).events({
      ...asked.page,
      type,
      intentId,
      paymentId,
      createdAfterMs: createdAfter === undefined ? undefined : Date.parse(createdAfter),
      createdBeforeMs: createdBefore === undefined ? undefined : Date.parse(createdBefore),
      undelivered: undelivered === 'true',
    });
    return answerJson(page);
  },
};
