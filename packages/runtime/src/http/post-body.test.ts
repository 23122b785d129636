import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { postBody } from './post-body.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an answer without an end is cut off at the bound, and its connection is closed', async () => {
  let written = 0;
  const closed = Promise.withResolvers<void>();
  const url = await serve((_, response) => {
    response.on('close', closed.resolve);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000))) written += 10_000;
    };
    response.on('drain', more);
    more();
  });
  await expect(postBody(url, '{}', { timeoutMs: 5_000, mostBytes: 100_000 })).rejects.toThrow('AnswerTooLong');
  await closed.promise;
  expect(written).toBeLessThan(50_000_000);
});

test('an answer up to the bound is read whole', async () => {
  const url = await serve((_, response) => response.end('x'.repeat(100_000)));
  const { text } = await postBody(url, '{}', { timeoutMs: 5_000, mostBytes: 100_000 });
  expect(text).toHaveLength(100_000);
});

test('a packed answer is unpacked, and counts unpacked', async () => {
  const packed = gzipSync('x'.repeat(100_000));
  const asked: unknown[] = [];
  const url = await serve((request, response) => {
    asked.push(request.headers['accept-encoding']);
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  });
  const { text } = await postBody(url, '{}', { timeoutMs: 5_000, mostBytes: 100_000 });
  expect(text).toHaveLength(100_000);
  expect(asked).toEqual(['gzip']);
  await expect(postBody(url, '{}', { timeoutMs: 5_000, mostBytes: 99_999 })).rejects.toThrow('AnswerTooLong');
  const cut = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, 50)),
  );
  await expect(postBody(cut, '{}', { timeoutMs: 5_000, mostBytes: 100_000 })).rejects.toThrow('unexpected end of file');
});

test('what follows a packed answer without an end is no answer, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const url = await serve((_, response) => {
    response.on('close', closed.resolve);
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.write(Buffer.concat([gzipSync('{}'), Buffer.alloc(16)]));
  });
  await expect(postBody(url, '{}', { timeoutMs: 5_000, mostBytes: 100 })).rejects.toThrow('AnswerCutOff');
  await closed.promise;
});

test('a server that answers and does not read the request loses its connection', async () => {
  const received = Promise.withResolvers<number>();
  const server = createTcpServer((socket) => {
    socket.once('data', () => {
      socket.pause();
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
    socket.on('error', () => {});
    socket.on('close', () => received.resolve(socket.bytesRead));
    setTimeout(() => socket.resume(), 300);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { text } = await postBody(url, 'x'.repeat(50_000_000), { timeoutMs: 5_000, mostBytes: 100 });
  expect(text).toBe('{}');
  expect(await received.promise).toBeLessThan(50_000_000);
});

test('a connection is used again, after packed answers too', async () => {
  const ports = new Set<number | undefined>();
  let asked = 0;
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    asked += 1;
    if (asked % 2 === 0) response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}'));
    else response.end('{}');
  });
  for (let each = 0; each < 6; each += 1)
    expect(await postBody(url, 'x'.repeat(200_000), { timeoutMs: 5_000, mostBytes: 100 })).toMatchObject({
      text: '{}',
    });
  expect(ports.size).toBe(1);
});

test('an answer of many tiny values is not given to be parsed', async () => {
  const ask = async (text: string) =>
    postBody(await serve((_, response) => response.end(text)), '{}', { timeoutMs: 5_000, mostBytes: 32_000_000 });
  for (const tiny of ['{},', '[],', '"ab",', '[', '{"a":'])
    await expect(ask(`[${tiny.repeat(1_500_000)}`), tiny).rejects.toThrow('AnswerHasTooManyValues');
  await expect(ask('{},'.repeat(500_000) + 'x'.repeat(2_000_000)), 'in a part of it').rejects.toThrow('TooManyValues');
  expect((await ask(`[${'{},'.repeat(1_000)}{}]`)).text).toHaveLength(3_004);
  const log = { address: `0x${'a'.repeat(40)}`, topics: [`0x${'b'.repeat(64)}`], data: '0x', logIndex: '0x0' };
  const honest = JSON.stringify(Array.from({ length: 20_000 }, () => log));
  expect((await ask(honest)).text).toHaveLength(honest.length);
});

test('a request names its client', async () => {
  const seen: unknown[] = [];
  const url = await serve((request, response) => {
    seen.push(request.headers['user-agent'], request.headers.accept, request.headers['content-type']);
    response.end('{}');
  });
  await postBody(url, '{}', { timeoutMs: 5_000, mostBytes: 100 });
  expect(seen).toEqual(['SVC-Pay/1', '*/*', 'application/json']);
});

test('user and password of the address go into a header', async () => {
  const seen: unknown[] = [];
  const url = await serve((request, response) => {
    seen.push(request.url, request.headers.authorization);
    response.end('{}');
  });
  await postBody(url.replace('//', '//us%40er:pass@').concat('/v2/key?x=1'), '{}', {
    timeoutMs: 5_000,
    mostBytes: 100,
  });
  expect(seen).toEqual(['/v2/key?x=1', `Basic ${Buffer.from('us@er:pass').toString('base64')}`]);
});

test('what is no success has its status and its text', async () => {
  const url = await serve((_, response) => response.writeHead(413).end('too large'));
  expect(await postBody(url, '{}', { timeoutMs: 5_000, mostBytes: 100 })).toEqual({ status: 413, text: 'too large' });
});

// Node gives its own agents and `fetch` the proxy of the environment; a process of its own, since Node reads it once.
test('a proxy of the environment is used as fetch uses it', async () => {
  const asked: string[] = [];
  const proxy = await serve((request, response) => {
    asked.push(request.url ?? '');
    response.end('by the proxy');
  });
  const script = `
    import { postBody } from ${JSON.stringify(new URL('post-body.ts', import.meta.url).href)};
    const { text } = await postBody('http://node.invalid/rpc', '{}', { timeoutMs: 5000, mostBytes: 100 });
    process.stdout.write(text);`;
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
  expect(stdout).toBe('by the proxy');
  expect(asked).toEqual(['http://node.invalid/rpc']);
});
