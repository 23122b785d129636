// Hono and Next hand over web-standard requests. Hono is not installed here: its context is faked as far as it is used, and
// tests/interop has the real one.
import { describe, expect, test } from 'vitest';
import { fakeFacilitator } from '../testing/fake-facilitator.ts';
import { testKeptAnswerContract } from '../testing/kept-answer-contract.ts';
import type { Serve } from '../testing/open-sale.ts';
import { testProtectContract } from '../testing/protect-contract.ts';
import { paymentFor } from '../testing/sample-payment.ts';
import { createProtect as createForHono } from './hono.ts';
import { createProtect as createForNext } from './next.ts';

const ADDRESS = 'http://seller.test/data';

const next: Serve = async (options, terms, handler) => {
  const route = createForNext(options)(terms, async (request: Request) => {
    const { status, body, headers = {} } = await handler(await request.text(), request);
    return new Response(body, { status, headers });
  });
  return (init, query = '') => route(new Request(`${ADDRESS}${query}`, init));
};

const hono: Serve = async (options, terms, handler) => {
  const middleware = createForHono(options)(terms);
  return async (init, query = '') => {
    const raw = new Request(`${ADDRESS}${query}`, init);
    const body = (bytes: ReadableStream<Uint8Array> | null, status: number, headers: object) =>
      new Response(bytes, { status, headers: headers as Record<string, string> });
    const context = { req: { raw }, res: new Response() as Response | undefined, body };
    const returned = await middleware(context as typeof context & { res: Response }, async () => {
      const { status, body, headers = {} } = await handler(await raw.text(), context);
      context.res = new Response(body, { status, headers });
    });
    return returned ?? (context.res as Response);
  };
};

describe.each([
  ['Next', next],
  ['Hono', hono],
] as const)('%s', (_, serve) => {
  testProtectContract(serve);
  testKeptAnswerContract(serve);
});

test.each([
  ['Next', next],
  ['Hono', hono],
] as const)(
  '%s: an answer that was not read to its end reaches the same request with the same payment',
  async (_, serve) => {
    const { options, callsOf } = await fakeFacilitator();
    const send = await serve(options, { price: '$0.01' }, async () => ({ status: 200, body: 'what was paid for' }));
    const headers = { 'payment-signature': paymentFor(await send({ method: 'POST' })) };
    await (await send({ method: 'POST', headers })).body?.cancel();
    expect(await (await send({ method: 'POST', headers })).text()).toBe('what was paid for');
    expect((await send({ method: 'POST', headers })).status).toBe(409);
    expect(callsOf('/x402/settle')).toHaveLength(1);
  },
);
