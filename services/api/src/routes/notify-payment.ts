import { findToken, type Intent, intentView, isPayable, PAYMENT_STATUS, paymentView } from '@svc-pay/core';
import { type NetworkId, type NotifyResponse, notifyRequest, notifyResponse } from '@svc-pay/protocol';
import { isId } from '@svc-pay/protocol/ids';
import * as z from 'zod/mini';
import type { ApiPorts } from '../ports.ts';
import { answerJson } from './answer-json.ts';
import type { KeyedRoute } from './route.ts';

/**
 * Only the intent id is validated. The other fields are hints of the client, which may be anything and change nothing.
 */
const named = z.object({ paymentIntentId: z.string(), transactionId: z.optional(z.unknown()) });

export const notifyPayment: KeyedRoute = {
  operationId: 'notifyPayment',
  method: 'POST',
  path: '/sdk/public/payments/notify',
  access: 'publishable',
  scope: 'charge',
  quota: 'chain_reads',
  takesClientSecret: true,
  summary: 'Ask for progress',
  description:
    'Answers how the intent stands, and makes sure that somebody is at work on a payment that is under way. What the body ' +
    'says about a transaction is a hint and changes nothing: with the hash of a transaction that the payer sent, the chain ' +
    'reader looks sooner. May be repeated freely, with or without an idempotency key.',
  body: { name: 'NotifyRequest', schema: notifyRequest },
  responses: {
    200: {
      description: 'The intent and its latest payment',
      schema: { name: 'NotifyResponse', schema: notifyResponse },
    },
  },
  refusals: ['not_found'],
  async handle({ ports }, { caller, body }) {
    const request = named.safeParse(body);
    if (!request.success) return { ok: false, code: 'malformed_request', param: 'paymentIntentId' };
    const { paymentIntentId: intentId, transactionId } = request.data;
    const situation = isId('paymentIntent', intentId) ? await ports.loadStatus(caller, intentId) : undefined;
    if (situation === undefined) return { ok: false, code: 'not_found', param: null };
    const { intent, payment } = situation;
    if (payment?.status === PAYMENT_STATUS.pending) ports.wakeLanes(payment.network);
    if (isPayable(intent, ports.clock.nowMs()) && typeof transactionId === 'string')
      for (const network of readNetworksOf(ports, intent, transactionId)) ports.wakeReader(network);
    const answer: NotifyResponse = {
      paymentIntentId: intent.id,
      paymentId: payment?.id ?? null,
      status: intent.status,
      paymentIntent: intentView(intent, caller.kind),
      payment: payment === null ? null : paymentView(payment, intent, caller.kind),
    };
    return answerJson(answer);
  },
};

/** Networks that the intent is offered on and whose reader may find the transaction. */
function readNetworksOf(
  { families }: Pick<ApiPorts, 'families'>,
  { network, tokens }: Intent,
  transactionId: string,
): ReadonlySet<NetworkId> {
  const offered = (tokens ?? []).flatMap((shortcode) => findToken(shortcode)?.network ?? []);
  const mayHave = (one: NetworkId) =>
    families.find((family) => family.owns(one))?.regular?.namesTransaction?.(transactionId) === true;
  return new Set([network, ...offered].filter(mayHave));
}
