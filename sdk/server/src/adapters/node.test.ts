import { connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { body, receiver, type Serve, testAdapterContract } from '../testing/adapter-contract.ts';
import { signed } from '../testing/sample-event.ts';
import { postInChunks, serveOnLoopback } from '../testing/serve-on-loopback.ts';
import { webhookListener } from './node.ts';

const serve: Serve = async (options) => {
  const listener = webhookListener(options);
  const url = await serveOnLoopback((request, response) => void listener(request, response));
  return async (bytes, headers) => {
    const response = await fetch(url, { method: 'POST', body: new Uint8Array(bytes), headers });
    return { status: response.status, text: await response.text() };
  };
};

describe('node:http', () => {
  testAdapterContract(serve);

  test('a body in many chunks is put together', async () => {
    const listener = webhookListener({ receiver, handle: () => {} });
    const url = await serveOnLoopback((request, response) => void listener(request, response));
    const chunks = Array.from(body, (byte) => Uint8Array.of(byte));
    expect(await postInChunks(url, chunks, signed(body))).toMatchObject({ status: 200 });
  });

  test('a body without a declared length is read no further than the limit', async () => {
    const listener = webhookListener({ receiver, handle: () => {}, maxBodyBytes: 100_000 });
    const url = await serveOnLoopback((request, response) => void listener(request, response));
    const endless = {
      *[Symbol.iterator]() {
        for (let count = 0; count < 2_000; count += 1) yield new Uint8Array(50_000);
      },
    };
    const { status, sent } = await postInChunks(url, endless, {});
    expect(status).toBe(413);
    expect(sent).toBeLessThan(50_000_000);
  });

  test('a sender that breaks off costs nothing and crashes nothing', async () => {
    const handle = vi.fn();
    const listener = webhookListener({ receiver, handle });
    const ended = Promise.withResolvers<void>();
    const url = await serveOnLoopback((request, response) => {
      listener(request, response).then(ended.resolve, ended.reject);
    });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy());
    await ended.promise;
    expect(handle).not.toHaveBeenCalled();
  });

  test('a request that was read before is refused, with advice', async () => {
    const onRefusal = vi.fn();
    const listener = webhookListener({ receiver, handle: () => {}, onRefusal });
    const url = await serveOnLoopback((request, response) => {
      request.resume().on('end', () => void listener(request, response));
    });
    const response = await fetch(url, { method: 'POST', body: new Uint8Array(body), headers: signed(body) });
    expect(response.status).toBe(400);
    expect(onRefusal).toHaveBeenCalledWith(expect.objectContaining({ code: 'body_not_raw_bytes' }));
  });

  test('a response that other code has sent meanwhile is not sent again', async () => {
    let answerFirst = () => {};
    const listener = webhookListener({ receiver, handle: () => answerFirst() });
    const ended = Promise.withResolvers<void>();
    const url = await serveOnLoopback((request, response) => {
      answerFirst = () => void response.writeHead(504).end();
      listener(request, response).then(ended.resolve, ended.reject);
    });
    const response = await fetch(url, { method: 'POST', body: new Uint8Array(body), headers: signed(body) });
    expect(response.status).toBe(504);
    await ended.promise;
  });
});
