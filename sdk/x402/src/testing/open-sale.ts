// A protected route of one adapter, with a double of the service behind it and a buyer who knows its price.
import { vi } from 'vitest';
import type { SellerOptions } from '../facilitator/seller-options.ts';
import type { RouteTerms } from '../protect/create-protect.ts';
import { fakeFacilitator, type Script } from './fake-facilitator.ts';
import { paymentFor } from './sample-payment.ts';

/** What a handler answers; it throws when it is an error. */
type Handled = { readonly status: number; readonly body: string; readonly headers?: Record<string, string> };
export type Handler = (body: string, request: object) => Promise<Handled>;
/** `query` begins with a question mark. */
type Send = (init?: RequestInit, query?: string) => Promise<Response>;
/** Serves POST of one protected path. */
export type Serve = (options: SellerOptions, terms: RouteTerms, handler: Handler) => Promise<Send>;

export const SECRET = 'what was paid for';
export const PRICE: RouteTerms = { price: '$0.01', description: 'words' };
export const CACHED = { 'cache-control': 'public, max-age=3600', 'x-own': 'kept' };

export async function openSale(
  serve: Serve,
  script: Script = {},
  answer: Handler = async () => ({ status: 200, body: SECRET, headers: CACHED }),
) {
  const fake = await fakeFacilitator(script);
  const order: string[] = [];
  const handler = vi.fn<Handler>(async (body, request) => {
    order.push(...fake.seen.map(({ path }) => path), 'handler');
    return answer(body, request);
  });
  const send = await serve(fake.options, PRICE, handler);
  const post = (headers: Record<string, string> = {}, body = 'asked') => send({ method: 'POST', body, headers });
  const unpaid = await post();
  const payment = unpaid.status === 402 ? { 'payment-signature': paymentFor(unpaid) } : {};
  const pay = (body?: string) => post(payment, body);
  /** What a 202 tells to do: the same request at its address, without a payment. */
  const ask = (statusUrl: string) => send({ method: 'POST', body: 'asked' }, new URL(statusUrl).search);
  return { ...fake, handler, order, post, unpaid, payment, pay, ask };
}
