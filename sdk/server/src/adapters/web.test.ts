// Hono and Next hand over web-standard requests. Hono is not installed here: its context is faked by the one field read.
import { describe, expect, test, vi } from 'vitest';
import type { WebhookOptions } from '../answer/answer-delivery.ts';
import { body, receiver, testAdapterContract } from '../testing/adapter-contract.ts';
import { signed } from '../testing/sample-event.ts';
import { webhookHandler } from './hono.ts';
import { webhookRoute } from './next.ts';

type Handler = (request: Request) => Promise<Response>;
const hono = (options: WebhookOptions): Handler => {
  const handler = webhookHandler(options);
  return (request) => handler({ req: { raw: request } });
};
const post = (bytes: Uint8Array, headers: Record<string, string>) =>
  new Request('http://shop.test/webhooks', { method: 'POST', body: new Uint8Array(bytes), headers });

describe.each([
  { name: 'Hono', make: hono, advice: 'c.req.json()' },
  { name: 'Next', make: webhookRoute, advice: 'bodyParser: false' },
])('$name', ({ make, advice }) => {
  testAdapterContract(async (options) => {
    const handler = make(options);
    return async (bytes, headers) => {
      const response = await handler(post(bytes, headers));
      return { status: response.status, text: await response.text() };
    };
  });

  test('a request that was read before is refused, with advice', async () => {
    const onRefusal = vi.fn();
    const request = post(body, signed(body));
    await request.json();
    const response = await make({ receiver, handle: () => {}, onRefusal })(request);
    expect(response.status).toBe(400);
    expect(onRefusal).toHaveBeenCalledWith(
      expect.objectContaining({ code: 'body_not_raw_bytes', advice: expect.stringContaining(advice) }),
    );
  });

  test('a stream is read no further than the limit, and what announces too much is not read', async () => {
    let pulled = 0;
    const endless = () =>
      new ReadableStream({
        pull: (controller) => {
          pulled += 1;
          controller.enqueue(new Uint8Array(1_000));
        },
      });
    const handler = make({ receiver, handle: () => {}, maxBodyBytes: 10_000 });
    const url = 'http://shop.test/webhooks';
    const streamed = new Request(url, { method: 'POST', body: endless(), duplex: 'half' });
    expect((await handler(streamed)).status).toBe(413);
    expect(pulled).toBeLessThan(20);
    pulled = 0;
    const headers = { 'content-length': '10001' };
    const declared = new Request(url, { method: 'POST', body: endless(), duplex: 'half', headers });
    expect((await handler(declared)).status).toBe(413);
    expect(pulled).toBeLessThan(3);
  });

  test('a request without a body is refused', async () => {
    const handler = make({ receiver, handle: () => {} });
    const response = await handler(new Request('http://shop.test/webhooks', { method: 'POST', headers: signed(body) }));
    expect(response.status).toBe(400);
  });
});
