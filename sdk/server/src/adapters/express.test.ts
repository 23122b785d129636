// Express is not installed here. What it hands on are Node's own request and response with `body` set by parsers, and the
// fakes below do just that.
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import type { WebhookOptions } from '../answer/answer-delivery.ts';
import { body, receiver, type Serve, testAdapterContract } from '../testing/adapter-contract.ts';
import { signed } from '../testing/sample-event.ts';
import { serveOnLoopback } from '../testing/serve-on-loopback.ts';
import { webhookHandler } from './express.ts';

type FakeParser = (request: IncomingMessage) => Promise<object>;
const noParser: FakeParser = async () => ({});
const fakeRaw: FakeParser = async (request) => ({ body: await buffer(request) });
const fakeJson: FakeParser = async (request) => ({ body: JSON.parse((await buffer(request)).toString()) });
const fakeJsonKeepingRaw: FakeParser = async (request) => {
  const rawBody = await buffer(request);
  return { rawBody, body: JSON.parse(rawBody.toString()) };
};
/** As express.json() of Express 4 leaves a request whose content type is not its own: unread, with an empty object. */
const fakeJsonOfAnotherType: FakeParser = async () => ({ body: {} });

const serveBehind =
  (parser: FakeParser): Serve =>
  async (options: WebhookOptions) => {
    const handler = webhookHandler(options);
    const url = await serveOnLoopback((request, response) => {
      void parser(request).then((parsed) => handler(Object.assign(request, parsed), response));
    });
    return async (bytes, headers) => {
      const response = await fetch(url, { method: 'POST', body: new Uint8Array(bytes), headers });
      return { status: response.status, text: await response.text() };
    };
  };

describe('Express without a parser', () => testAdapterContract(serveBehind(noParser)));
describe('Express with express.raw()', () => testAdapterContract(serveBehind(fakeRaw)));

test.each([
  ['a parser kept the raw bytes beside what it parsed', fakeJsonKeepingRaw],
  ['express.json() let the request through unread', fakeJsonOfAnotherType],
])('verifies when %s', async (_, parser) => {
  const deliver = await serveBehind(parser)({ receiver, handle: () => {} });
  expect(await deliver(body, signed(body))).toMatchObject({ status: 200 });
});

test('behind express.json() a delivery is refused, and the advice names the way out', async () => {
  const [handle, onRefusal] = [vi.fn(), vi.fn()];
  const deliver = await serveBehind(fakeJson)({ receiver, handle, onRefusal });
  expect(await deliver(body, signed(body))).toEqual({ status: 400, text: '{"error":"body_not_raw_bytes"}' });
  expect(onRefusal).toHaveBeenCalledWith(
    expect.objectContaining({ advice: expect.stringContaining('before app.use(express.json())') }),
  );
  expect(handle).not.toHaveBeenCalled();
});
