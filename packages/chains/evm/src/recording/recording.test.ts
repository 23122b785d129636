// Recorder and replayer over real HTTP, with a provider that has quirks.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startRpcRecorder } from './record-rpc.ts';
import { readRecording } from './recording.ts';
import { providerOf, redactionOf } from './redact.ts';
import { NOT_RECORDED, startRpcReplayer } from './replay-rpc.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-recording-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] };
type Reply = { readonly status?: number; readonly text: string } | undefined;

const KEY = 'k3y-of-the-provider';

/** A provider, and a recorder in front of it. */
async function recorded(reply: (body: Call | readonly Call[], url: string) => Reply, bounds: object = {}) {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const answer = reply(JSON.parse(text) as Call, request.url ?? '');
      if (answer === undefined) request.socket.destroy();
      else response.writeHead(answer.status ?? 200, { 'retry-after': '2' }).end(answer.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  files += 1;
  const file = path.join(folder, `${files}.jsonl`);
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/${KEY}`;
  const recorder = await startRpcRecorder({ upstream, network: 'eip155:84532', file, recordedAt: 'then', ...bounds });
  const replayed = async () => {
    await recorder.close();
    const replayer = await startRpcReplayer(readRecording(file));
    onTestFinished(() => replayer.close());
    return replayer;
  };
  return { recorder, file, replayed };
}

async function post(url: string, body: unknown, type = 'application/json') {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(body) });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}
const call = (id: unknown, method: string, ...params: readonly unknown[]): Call => ({ id, method, params });

test.each<[string, Call | readonly Call[], Reply]>([
  ['one call', call(7, 'eth_chainId'), { text: '{"jsonrpc":"2.0","id":7,"result":"0x1"}' }],
  [
    'a batch that is answered in another order',
    [call(0, 'eth_chainId'), call(1, 'eth_blockNumber')],
    { text: '[{"jsonrpc":"2.0","id":1,"result":"0x2"},{"jsonrpc":"2.0","id":0,"result":"0x1"}]' },
  ],
  [
    'a batch with a call that is left without an answer',
    [call(0, 'eth_chainId'), call(1, 'eth_blockNumber')],
    { text: '[{"jsonrpc":"2.0","id":1,"result":null}]' },
  ],
  [
    'one error for a whole batch',
    [call(0, 'eth_chainId')],
    { status: 429, text: '{"jsonrpc":"2.0","error":{"code":429,"message":"too many"}}' },
  ],
  [
    'a refusal of one call',
    [call(0, 'eth_call')],
    { text: '[{"jsonrpc":"2.0","id":0,"error":{"code":3,"data":"0x"}}]' },
  ],
  ['no JSON', [call(0, 'eth_chainId')], { status: 502, text: '<html>bad gateway</html>' }],
])('%s is replayed as it was answered, to the byte', async (_, body, reply) => {
  const { recorder, replayed } = await recorded(() => reply);
  const answer = await post(recorder.url, body);
  expect(answer).toEqual({ status: reply?.status ?? 200, retryAfter: '2', text: reply?.text });
  const replayer = await replayed();
  expect(await post(replayer.url, body)).toEqual(answer);
  expect(replayer.missed()).toEqual([]);
});

test('a provider that hangs up is replayed as one that hangs up', async () => {
  const { recorder, replayed } = await recorded(() => undefined);
  await expect(post(recorder.url, call(1, 'eth_chainId'))).rejects.toThrow();
  const replayer = await replayed();
  await expect(post(replayer.url, call(1, 'eth_chainId'))).rejects.toThrow();
});

test('answers that change come in their order, the last one stays, and repeats are not stored', async () => {
  const told = ['0x1', '0x1', '0x2', '0x1'];
  let at = -1;
  const { recorder, replayed } = await recorded(() => {
    at += 1;
    return { text: `{"id":1,"result":"${told[at]}"}` };
  });
  for (const _ of told) await post(recorder.url, call(1, 'eth_blockNumber'));
  expect(recorder.counts()).toEqual({ recorded: 3, repeated: 1 });
  const { url } = await replayed();
  const results = [];
  for (const _ of [...told, 'more'])
    results.push((JSON.parse((await post(url, call(9, 'eth_blockNumber'))).text) as { result: string }).result);
  expect(results).toEqual(['0x1', '0x2', '0x1', '0x1', '0x1']);
});

test('of so many requests the last answer is known; one that was forgotten is recorded again', async () => {
  const { recorder } = await recorded(() => ({ text: '{"id":1,"result":"0x1"}' }), { maxKnown: 2 });
  const ask = (block: string) => post(recorder.url, call(1, 'eth_getBlockByNumber', block));
  for (const block of ['0x1', '0x2', '0x1', '0x3', '0x1', '0x2']) await ask(block);
  await recorder.close();
  expect(recorder.counts()).toEqual({ recorded: 4, repeated: 2 });
});

test('an answer that is too large is not read to its end, and is recorded as none', async () => {
  const text = `{"id":1,"result":"0x${'é'.repeat(600)}"}`;
  const { recorder, file } = await recorded(() => ({ text }), { maxAnswerBytes: 1_000 });
  await expect(post(recorder.url, call(1, 'eth_chainId'))).rejects.toThrow();
  await recorder.close();
  expect(readRecording(file).exchanges).toMatchObject([{ status: 0 }]);
});

test('calls of another request are found one by one; what was never asked is refused and noted', async () => {
  const { recorder, replayed } = await recorded((body) => ({
    text: JSON.stringify((body as readonly Call[]).map(({ id, method }) => ({ id, result: method }))),
  }));
  await post(recorder.url, [call(0, 'eth_chainId'), call(1, 'eth_getLogs', { toBlock: '0x2', fromBlock: '0x1' })]);
  const replayer = await replayed();
  const { text } = await post(replayer.url, [
    call('a', 'eth_getLogs', { fromBlock: '0x1', toBlock: '0x2' }),
    call('b', 'eth_getLogs', { fromBlock: '0x1', toBlock: '0x3' }),
  ]);
  expect(JSON.parse(text)).toMatchObject([
    { id: 'a', result: 'eth_getLogs' },
    { id: 'b', error: { code: NOT_RECORDED } },
  ]);
  expect(replayer.missed()).toEqual(['eth_getLogs [{"fromBlock":"0x1","toBlock":"0x3"}]']);
});

test('the key is not in the recording, also where the provider quotes it', async () => {
  const { recorder, file } = await recorded((_, url) => ({
    text: JSON.stringify({ id: 1, error: { code: 1, message: `${url} and https://other.example/?key=another-key` } }),
  }));
  const { text } = await post(recorder.url, call(1, 'eth_chainId'));
  expect(text).toContain(KEY);
  await recorder.close();
  const written = readFileSync(file, 'utf8');
  expect(written).not.toContain(KEY);
  expect(written).not.toContain('another-key');
});

test('a recorder is killed in the middle of a line: the rest can be read', async () => {
  const { recorder, file } = await recorded(() => ({ text: '{"id":1,"result":"0x1"}' }));
  await post(recorder.url, call(1, 'eth_chainId'));
  await recorder.close();
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"atMs":3,"calls":[{"me`);
  expect(readRecording(file).exchanges).toHaveLength(1);
});

test.each([
  'eth_accounts',
  'eth_sendTransaction',
  'eth_sign',
  'personal_unlockAccount',
  'anvil_setBalance',
  'debug_traceCall',
])('the recorder does not pass %s on', async (method) => {
  let asked = 0;
  const { recorder } = await recorded(() => {
    asked += 1;
    return { text: '{}' };
  });
  const { text } = await post(recorder.url, [call(1, 'eth_chainId'), call(2, method)]);
  await recorder.close();
  expect([asked, (JSON.parse(text) as readonly unknown[]).length]).toEqual([0, 2]);
});

test('a page in a browser, which can’t send JSON without asking, is not passed on', async () => {
  const { recorder } = await recorded(() => ({ text: '{}' }));
  expect((await post(recorder.url, call(1, 'eth_chainId'), 'text/plain')).status).toBe(415);
  await recorder.close();
});

test.each([
  ['https://base-sepolia.g.alchemy.com/v2/aB3dEfGh1JkLmN0p', 'alchemy.com', 'aB3dEfGh1JkLmN0p'],
  ['https://red-cold-sky.base-sepolia.quiknode.pro/0a1b2c3d4e5f/', 'quiknode.pro', 'red-cold-sky'],
  ['https://rpc.example/?apikey=s%2Fcret1', 'rpc.example', 's/cret1'],
  ['https://rpc.example/?apikey=s%2Fcret1', 'rpc.example', 's%2Fcret1'],
  ['https://rpc.example/?k3y-without-name', 'rpc.example', 'k3y-without-name'],
  ['https://rpc.example/?a=1&k3y-without-value=', 'rpc.example', 'k3y-without-value'],
  ['https://user:passw0rd@node.example', 'node.example', 'passw0rd'],
  ['https://user:p%40ssw0rd@node.example', 'node.example', btoa('user:p@ssw0rd')],
])('%s: the provider is named, its secrets are not', (url, provider, secret) => {
  expect(providerOf(url)).toBe(provider);
  expect(redactionOf(url)(`it says ${secret} at ${url}`)).not.toContain(secret);
});

test.each(['http://127.0.0.1:8545', 'http://localhost:8545', 'http://[::1]:8545'])('%s is local', (url) => {
  expect(providerOf(url)).toBe('local');
});
