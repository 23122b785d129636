import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startDeliveryWorld } from '../testing/delivery-world.ts';
import { afterwards, startReceiver } from '../testing/receiver.ts';

const world = await startDeliveryWorld();
const { shop, settle, attempts, clock } = world;

/** A server that speaks bytes, not HTTP. */
async function startRaw(
  onRequest: (socket: Socket) => void,
): Promise<{ url: string; server: Server; closed: () => number }> {
  const sockets = new Set<Socket>();
  let closed = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      closed += 1;
      sockets.delete(socket);
    });
    socket.once('data', () => onRequest(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server, closed: () => closed };
}

async function attemptAt(url: string, timeoutSeconds = 1) {
  const endpoint = await shop.addEndpoint({ url, retryCount: 0, timeoutSeconds });
  const event = await shop.emit([endpoint], { atMs: clock.nowMs() });
  const startMs = performance.now();
  await settle();
  const tookMs = performance.now() - startMs;
  const [attempt] = await attempts(event);
  return { ...attempt, tookMs };
}

const every = (socket: Socket, text: string, ms: number) => {
  const timer = setInterval(() => socket.write(text), ms);
  socket.once('close', () => clearInterval(timer));
};

const drip = (socket: Socket, text: string, ms: number) => {
  let sent = 0;
  const timer = setInterval(() => socket.write(text.charAt(sent++)), ms);
  socket.once('close', () => clearInterval(timer));
};

describe('the time of an endpoint is kept', () => {
  test.each([
    ['never answers', () => {}],
    [
      'sends its headers a byte at a time',
      (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 100),
    ],
    [
      'sends headers without end, slowly',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        every(socket, 'x-a: b\r\n', 50);
      },
    ],
    ['sends early hints without end', (socket: Socket) => every(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 50)],
  ])('by one that %s', async (_, onRequest) => {
    const { url } = await startRaw(onRequest);
    const attempt = await attemptAt(url);
    expect(attempt.outcome).toBe('timed_out');
    expect(attempt.total_ms).toBeGreaterThanOrEqual(990);
    expect(attempt.total_ms).toBeLessThan(3_000);
  });

  test('each endpoint has its own', async () => {
    const [one, other] = [await startRaw(() => {}), await startRaw(() => {})];
    const endpoints = [
      await shop.addEndpoint({ url: one.url, retryCount: 0, timeoutSeconds: 1 }),
      await shop.addEndpoint({ url: other.url, retryCount: 0, timeoutSeconds: 2 }),
    ];
    const event = await shop.emit(endpoints, { atMs: clock.nowMs() });
    await settle();
    const totals = (await attempts(event)).map(({ total_ms }) => total_ms).toSorted((a, b) => a - b);
    expect(totals[0]).toBeLessThan(1_990);
    expect(totals[1]).toBeGreaterThanOrEqual(1_990);
    expect(totals[1]).toBeLessThan(5_000);
  });
});

describe('2xx with whole headers is success', () => {
  test('when the body never ends, and its connection is closed', async () => {
    const { url, closed } = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      every(socket, '4\r\nmore\r\n', 20);
    });
    const attempt = await attemptAt(url);
    expect(attempt).toMatchObject({ outcome: 'succeeded', response_status: 200 });
    expect(attempt.total_ms).toBeLessThan(3_000);
    expect(attempt.response_excerpt?.toString()).toMatch(/^(more)+$/);
    await expect.poll(closed).toBe(1);
  });

  test('when the body is huge: 64 KiB are read, 20 kB are kept, the connection is closed', async () => {
    let written = 0;
    const { url, closed } = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n');
      const chunk = Buffer.alloc(65_536, 'x');
      const pump = () => {
        while (!socket.destroyed && written < 1e9) {
          written += chunk.length;
          if (!socket.write(chunk)) {
            socket.once('drain', pump);
            break;
          }
        }
      };
      pump();
    });
    const attempt = await attemptAt(url, 5);
    expect(attempt).toMatchObject({ outcome: 'succeeded', response_status: 200 });
    expect(attempt.response_excerpt).toHaveLength(20_000);
    await expect.poll(closed).toBe(1);
    expect(written).toBeLessThan(20_000_000);
  });

  test('when the body is cut off', async () => {
    const { url } = await startRaw((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'));
    expect(await attemptAt(url)).toMatchObject({ outcome: 'succeeded', response_status: 200 });
  });

  test('when the body is a bomb: nothing is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const receiver = await startReceiver((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const before = process.memoryUsage.rss();
    const attempt = await attemptAt(receiver.url, 5);
    expect(attempt).toMatchObject({ outcome: 'succeeded' });
    expect(attempt.response_excerpt).toEqual(bomb.subarray(0, 20_000));
    expect(process.memoryUsage.rss() - before).toBeLessThan(40_000_000);
  });

  test('204 without a body', async () => {
    const { url } = await startRaw((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
    expect(await attemptAt(url)).toMatchObject({ outcome: 'succeeded', response_status: 204 });
  });
});

describe('what is no answer is a failure', () => {
  test.each([
    ['closes at once', (socket: Socket) => void socket.end(), 'unreachable'],
    ['resets', (socket: Socket) => void socket.resetAndDestroy(), 'unreachable'],
    [
      'sends half of its headers and closes',
      (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nx-a: '),
      'unreachable',
    ],
    ['speaks another protocol', (socket: Socket) => void socket.end('220 mail ESMTP\r\n'), 'refused'],
    [
      'sends headers of 100 kB',
      (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(100_000)}\r\n\r\n`),
      'refused',
    ],
    [
      'sends ten thousand headers',
      (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(10_000)}\r\n`),
      'refused',
    ],
    [
      'contradicts itself about the length',
      (socket: Socket) =>
        void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
      'refused',
    ],
  ])('one that %s', async (_, onRequest, outcome) => {
    const { url } = await startRaw(onRequest);
    expect(await attemptAt(url)).toMatchObject({ outcome, response_status: null });
  });

  test('one that goes on saying 100 Continue', async () => {
    const { url } = await startRaw((socket) => every(socket, 'HTTP/1.1 100 Continue\r\n\r\n', 50));
    expect((await attemptAt(url)).outcome).not.toBe('succeeded');
  });

  test('a port that nobody listens on', async () => {
    const { url, server } = await startRaw(() => {});
    await new Promise((resolve) => server.close(resolve));
    expect(await attemptAt(url)).toMatchObject({
      outcome: 'unreachable',
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('an upgrade to another protocol', async () => {
    const { url } = await startRaw((socket) => socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'));
    const attempt = await attemptAt(url);
    expect(attempt.outcome).not.toBe('succeeded');
  });
});

test('odd bytes in an answer are kept as far as the database takes them', async () => {
  const { url } = await startRaw((socket) =>
    socket.end(Buffer.from('HTTP/1.1 500 N\r\nx-odd: \xff\xfe\x80\r\ncontent-length: 3\r\n\r\n\x00\xff\x00', 'latin1')),
  );
  expect(await attemptAt(url)).toMatchObject({ outcome: 'refused', response_status: 500 });
});

test('a kept connection that was closed meanwhile is replaced within the same attempt, and the log says so', async () => {
  let closeNext = false;
  const receiver = await startReceiver((response, request) => {
    if (closeNext) request.socket.destroy();
    else response.writeHead(200).end();
    closeNext = false;
  });
  const endpoint = await shop.addEndpoint({ url: receiver.url, retryCount: 0 });
  await shop.emit([endpoint], { atMs: clock.nowMs() });
  await settle();
  closeNext = true;
  const event = await shop.emit([endpoint], { atMs: clock.nowMs() });
  await settle();
  expect(await attempts(event)).toMatchObject([
    { outcome: 'succeeded', attempt: 1, error: expect.stringContaining('sent again on a new one') },
  ]);
  expect(receiver.connections()).toBe(2);
});
