import { areIntentFiltersCombinable, intentView, paymentView } from '@svc-pay/core';
import { intentQuery, paymentIntentList } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { listBody, readList } from './list-page.ts';

export const listIntents: KeyedRoute = {
  operationId: 'listIntents',
  method: 'GET',
  path: '/sdk/payment-intents',
  access: 'secret',
  scope: 'read',
  quota: 'lists',
  query: intentQuery,
  summary: 'List intents',
  description:
    'Newest first, by status or metadata, and by time. `expand=payment` adds the latest payment of each. A page may be shorter ' +
    'than `limit` although `hasMore` is true. An intent that nobody tried to pay leaves some time after its end.',
  responses: {
    200: { description: 'A page of intents', schema: { name: 'PaymentIntentList', schema: paymentIntentList } },
  },
  refusals: ['cursor_invalid', 'filters_not_combinable', 'metadata_key_not_declared', 'time_range_invalid'],
  async handle({ ports }, { caller, query }) {
    const read = await readList(ports, caller, 'payment_intents', query);
    if (!read.ok) return read;
    const { asked } = read;
    const { status, expand } = intentQuery.parse(query);
    const { metadata, createdAfterMs, createdBeforeMs } = asked;
    const filter = { status, metadata, createdAfterMs, createdBeforeMs };
    if (!areIntentFiltersCombinable(filter)) return { ok: false, code: 'filters_not_combinable', param: null };
    const withPayments = expand === 'payment';
    const page = await ports.lists.intents(caller, filter, { ...asked.page, withPayments });
    return answerJson(
      listBody(ports.peppers[0], asked, page, ({ intent, payment }) => ({
        ...intentView(intent, caller.kind),
        ...(withPayments && { payment: payment && paymentView(payment, intent, caller.kind) }),
      })),
    );
  },
};
