import { choosePaymentIndex, intentView, normalizeAddress, type PaymentFilter, paymentView } from '@svc-pay/core';
import { parseNetwork } from '@svc-pay/protocol';
import { isId } from '@svc-pay/protocol/ids';
import { type PaymentList, paymentList, paymentQuery } from '@svc-pay/protocol/merchant';
import { answerJson } from '../answer-json.ts';
import type { KeyedRoute } from '../route.ts';
import { listBody, readList } from './list-page.ts';

const EMPTY: PaymentList = { data: [], hasMore: false, nextCursor: null, previousCursor: null };

export const listPayments: KeyedRoute = {
  operationId: 'listPayments',
  method: 'GET',
  path: '/sdk/payments',
  access: 'secret',
  scope: 'read',
  quota: 'lists',
  query: paymentQuery,
  summary: 'List payments',
  description:
    'Newest first, by one of status, chain, token, payer and metadata, and by time; `intentId` and `transactionId` go with ' +
    'all of them but metadata. A page may be shorter than `limit` although `hasMore` is true. By metadata: the latest payment ' +
    'of each intent, in the order of the intents.',
  responses: { 200: { description: 'A page of payments', schema: { name: 'PaymentList', schema: paymentList } } },
  refusals: ['cursor_invalid', 'filters_not_combinable', 'metadata_key_not_declared', 'time_range_invalid'],
  async handle({ ports }, { caller, query }) {
    const read = await readList(ports, caller, 'payments', query);
    if (!read.ok) return read;
    const { asked } = read;
    const { status, chain, token, payer, transactionId, intentId, expand } = paymentQuery.parse(query);
    const network = chain === undefined ? undefined : parseNetwork(chain);
    if (chain !== undefined && network === undefined) return { ok: false, code: 'malformed_request', param: 'chain' };
    // Text that cannot be an id matches no payment.
    if (intentId !== undefined && !isId('paymentIntent', intentId)) return answerJson(EMPTY);
    const filter: PaymentFilter = {
      status,
      network,
      tokenShortcode: token,
      payer: payer === undefined ? undefined : normalizeAddress(payer),
      transactionId: transactionId === undefined ? undefined : normalizeAddress(transactionId),
      intentId,
      metadata: asked.metadata,
      createdAfterMs: asked.createdAfterMs,
      createdBeforeMs: asked.createdBeforeMs,
    };
    if (!choosePaymentIndex(filter).ok) return { ok: false, code: 'filters_not_combinable', param: null };
    const page = await ports.lists.payments(caller, filter, asked.page);
    return answerJson(
      listBody(ports.peppers[0], asked, page, ({ payment, intent }) => ({
        ...paymentView(payment, intent, caller.kind),
        ...(expand === 'intent' && { paymentIntent: intentView(intent, caller.kind) }),
      })),
    );
  },
};
