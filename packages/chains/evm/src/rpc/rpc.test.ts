import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { coalesceRpcCalls } from './coalesce-rpc-calls.ts';
import { createJsonRpc, RpcUnavailable } from './json-rpc.ts';
import { postCalls } from './post-calls.ts';

type Call = { id: number; method: string; params: unknown[] };
const servers: Server[] = [];

/** A web server in place of a node: the test chooses its answers. */
async function serve(answer: (calls: Call[]) => { status?: number; body: unknown } | undefined): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const answered = answer(JSON.parse(text) as Call[]);
      if (answered === undefined) return;
      const { status = 200, body } = answered;
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const echo = (calls: Call[]) => ({ body: calls.map(({ id, params }) => ({ id, result: params[0] })).reverse() });
const calls = (...values: unknown[]) => values.map((value) => ({ method: 'echo', params: [value] }));

test('answers come back in the order of the calls, whatever order the node chose', async () => {
  const rpc = createJsonRpc({ urls: [await serve(echo)], timeoutMs: 1_000 });
  expect(await rpc(calls('a', 'b', 'c'))).toEqual(['a', 'b', 'c'].map((result) => ({ ok: true, result })));
  expect(await rpc([])).toEqual([]);
});

test('a node’s error is its answer, not a failure', async () => {
  const url = await serve(([call]) => ({
    body: [{ id: call!.id, error: { code: 3, message: 'execution reverted', data: '0x' } }],
  }));
  const rpc = createJsonRpc({ urls: [url], timeoutMs: 1_000 });
  expect(await rpc(calls(1))).toEqual([{ ok: false, code: 3, message: 'execution reverted', data: '0x' }]);
});

test('calls whose answers are too long together are asked in halves, and one that is too long alone fails', async () => {
  const asked: number[] = [];
  const url = await serve((batch) => {
    asked.push(batch.length);
    return echo(batch);
  });
  const values = ['a', 'b', 'c', 'd', 'e'].map((sign) => sign.repeat(100));
  const answers = await postCalls(url, calls(...values), 5_000, 300);
  expect(answers).toEqual(values.map((result) => ({ ok: true, result })));
  expect(asked).toEqual([5, 3, 2, 1, 2]);
  await expect(postCalls(url, calls('a'.repeat(1_000)), 5_000, 300)).rejects.toThrow('AnswerTooLong');
});

test('halves have together the time of one request', async () => {
  // Too long, and late; then silence.
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume();
    asked += 1;
    if (asked === 1) setTimeout(() => response.end('x'.repeat(1_000)), 800);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const startMs = performance.now();
  await expect(postCalls(url, calls('a', 'b'), 1_000, 300)).rejects.toThrow('TimeoutError');
  expect(performance.now() - startMs).toBeLessThan(1_700);
});

describe('the next endpoint is asked when the first', () => {
  test.each<[string, Parameters<typeof serve>[0]]>([
    ['answers 500', () => ({ status: 500, body: 'oops' })],
    ['answers HTML', () => ({ body: '<html>' })],
    ['answers one error for the whole batch', () => ({ body: { error: { code: -32_005, message: 'limit' } } })],
    ['leaves a call out', () => ({ body: [] })],
    ['hangs', () => undefined],
  ])('%s', async (_, broken) => {
    const rpc = createJsonRpc({ urls: [await serve(broken), await serve(echo)], timeoutMs: 150 });
    expect(await rpc(calls('x'))).toEqual([{ ok: true, result: 'x' }]);
  });
});

test('when none answers nothing is known, and no address is told', async () => {
  const url = await serve(() => ({ status: 429, body: '' }));
  const rpc = createJsonRpc({ urls: [`${url}/v3/provider-key`], timeoutMs: 500 });
  const failure = await rpc(calls(1)).catch((problem: unknown) => problem);
  expect(failure).toBeInstanceOf(RpcUnavailable);
  expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('provider-key');
});

describe('gathered calls', () => {
  test('of many requests go out together and come back to their askers', async () => {
    let requests = 0;
    const url = await serve((batch) => {
      requests += 1;
      return echo(batch);
    });
    const rpc = coalesceRpcCalls(createJsonRpc({ urls: [url], timeoutMs: 1_000 }), { waitMs: 5, maxCalls: 1_000 });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => rpc(calls(`${index}a`, `${index}b`))));
    expect(answers.map((pair) => pair.map((answer) => answer.ok && answer.result))).toEqual(
      Array.from({ length: 50 }, (_, index) => [`${index}a`, `${index}b`]),
    );
    expect(requests).toBe(1);
  });

  test('leave as soon as enough have gathered, and fail together', async () => {
    const sizes: number[] = [];
    const rpc = coalesceRpcCalls(
      async (batch) => {
        sizes.push(batch.length);
        throw new RpcUnavailable('down');
      },
      { waitMs: 10_000, maxCalls: 4 },
    );
    const results = await Promise.allSettled([rpc(calls(1, 2)), rpc(calls(3)), rpc(calls(4))]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(sizes).toEqual([4]);
  });
});

test('a user and a password in the address travel in a header', async () => {
  let authorization: string | undefined;
  const server = createServer((request, response) => {
    ({ authorization } = request.headers);
    request.resume().on('end', () => response.end(JSON.stringify([{ id: 0, result: 'a' }])));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const rpc = createJsonRpc({ urls: [`http://user:p%40ss@127.0.0.1:${port}/key`], timeoutMs: 1_000 });
  expect(await rpc(calls('a'))).toEqual([{ ok: true, result: 'a' }]);
  expect(authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
});
