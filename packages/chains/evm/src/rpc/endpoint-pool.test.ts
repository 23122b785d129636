import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { createEndpointPool, type EndpointTrouble } from './endpoint-pool.ts';
import { lagging } from './probe-endpoint.ts';
import { DISAGREEMENT, requireEndpointQuorum } from './require-endpoint-quorum.ts';
import { type JsonRpc, type RpcAnswer, RpcUnavailable } from './rpc-call.ts';

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
type Node = { readonly url: string; readonly asked: string[] };
const servers: Server[] = [];

/** Answers by method; undefined means no answer. */
async function node(answer: (call: Call) => unknown, delayMs = 0): Promise<Node> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const reply = async () => {
      const calls = JSON.parse(text) as readonly Call[];
      asked.push(...calls.map(({ method }) => method));
      const results = calls.map((call) => ({ id: call.id, result: answer(call) }));
      if (results.some(({ result }) => result === undefined)) return;
      await sleep(delayMs);
      response.end(JSON.stringify(results));
    };
    request.on('end', () => void reply().catch(() => request.socket.destroy()));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const says =
  (word: unknown, { chainId = '0x1', seconds = 1_000 } = {}) =>
  ({ method }: Call): unknown => {
    if (method === 'eth_chainId') return chainId;
    if (method === 'eth_getBlockByNumber') return { timestamp: `0x${seconds.toString(16)}`, number: '0x10' };
    return word;
  };
const ask = [{ method: 'word', params: [] }];
const word = (result: unknown) => [{ ok: true, result }];
const DEAD = 'http://127.0.0.1:9';
const UNREADABLE = { ok: false, code: -32_097, message: 'not a receipt', data: null } as const;

/** The rule over all answers: the most frequent result counts, if two tell it or nobody else tells one. */
function byAll(answers: readonly RpcAnswer[]): unknown {
  const results = answers.filter((answer) => answer.ok || answer.code === UNREADABLE.code);
  if (results.length === 0) return answers[0];
  const counted = results.map((one) => ({
    one,
    votes: results.filter((other) => isDeepStrictEqual(one, other)).length,
  }));
  const most = Math.max(...counted.map(({ votes }) => votes));
  const winners = counted.filter(({ votes }) => votes === most);
  const isOne = winners.length === most;
  return isOne && most >= Math.min(2, results.length)
    ? winners[0]?.one
    : expect.objectContaining({ code: DISAGREEMENT });
}

describe('reads', () => {
  test('leave a dead endpoint aside: it is not waited for a second time', async () => {
    const good = await node(says('good'));
    const troubles: [number, EndpointTrouble][] = [];
    const pool = createEndpointPool({
      urls: [DEAD, good.url],
      timeoutMs: 1_000,
      onChange: (...trouble) => troubles.push(trouble),
    });
    for (let read = 0; read < 5; read += 1) expect(await pool.read(ask)).toEqual(word('good'));
    expect(troubles).toEqual([[1, 'no answer']]);
  });

  test('do not wait for a slow endpoint, now or the next time', async () => {
    const slow = await node(says('slow'), 600);
    const good = await node(says('good'));
    const pool = createEndpointPool({ urls: [slow.url, good.url], timeoutMs: 400 });
    expect(await pool.read(ask)).toEqual(word('good'));
    const startMs = performance.now();
    expect(await pool.read(ask)).toEqual(word('good'));
    expect(performance.now() - startMs).toBeLessThan(350);
  });

  test('never believe an endpoint of another chain, even when no other is left', async () => {
    const foreign = await node(says('foreign', { chainId: '0x2' }));
    const good = await node(says('good'));
    const pool = createEndpointPool({ urls: [foreign.url, good.url], timeoutMs: 1_000, chainId: 1 });
    expect(await pool.read(ask)).toEqual(word('good'));
    expect(foreign.asked).not.toContain('word');
    const alone = createEndpointPool({ urls: [foreign.url], timeoutMs: 1_000, chainId: 1 });
    await expect(alone.read(ask)).rejects.toThrow('another chain');
  });

  test('prefer the endpoint whose head is not far behind', async () => {
    const stale = await node(says('stale', { seconds: 900 }));
    const good = await node(says('good', { seconds: 1_000 }));
    const pool = createEndpointPool({ urls: [stale.url, good.url], timeoutMs: 1_000, chainId: 1 });
    expect(await pool.read(ask)).toEqual(word('good'));
  });

  test('one endpoint that claims to be far ahead does not discredit two others', () => {
    const heads = (...seconds: bigint[]) => seconds.map((headSeconds) => ({ answered: true, headSeconds }));
    expect([...lagging(heads(10_000n, 1_000n, 1_001n))]).toEqual([]);
    expect([...lagging(heads(10_000n, 9_999n, 1_001n))]).toEqual([2]);
  });
});

describe('what ends payments', () => {
  const receipt = (blockHash: string) => ({
    transactionHash: '0x1',
    from: '0xf',
    blockHash,
    blockNumber: '0x10',
    status: '0x1',
    gasUsed: '0x5',
    effectiveGasPrice: '0x2',
    logs: [],
  });
  const receiptCall = [{ method: 'eth_getTransactionReceipt', params: ['0x1'] }];
  const rpcOf = (...nodes: readonly (Node | { readonly url: string })[]) => {
    const [first, ...others] = nodes.map(({ url }) => url);
    return requireEndpointQuorum(createEndpointPool({ urls: [first ?? '', ...others], timeoutMs: 1_000 }));
  };

  test('a receipt that one endpoint alone knows is not believed', async () => {
    const [liar, honest] = [await node(says(receipt('0xa'))), await node(says(null))];
    for (const rpc of [rpcOf(liar, honest), rpcOf(honest, liar)])
      expect(await rpc(receiptCall)).toMatchObject([{ ok: false, code: DISAGREEMENT }]);
  });

  test('nor one whose sender, block number, cost or fee for data only one endpoint tells', async () => {
    const whole = { ...receipt('0xa'), blockNumber: '0x6c', gasUsed: '0x5', effectiveGasPrice: '0x2', l1Fee: '0x9' };
    for (const field of ['from', 'blockNumber', 'gasUsed', 'effectiveGasPrice', 'l1Fee'] as const) {
      const rpc = rpcOf(await node(says({ ...whole, [field]: '0x1' })), await node(says(whole)));
      expect(await rpc(receiptCall), field).toMatchObject([{ ok: false, code: DISAGREEMENT }]);
    }
    const padded = { ...whole, gasUsed: '0x05' };
    expect(await rpcOf(await node(says(whole)), await node(says(padded)))(receiptCall)).toEqual(word(whole));
  });

  test('the newest block, from which confirmations count, is the lowest that an endpoint tells', async () => {
    const head = (number: string) => node(() => number);
    const rpc = rpcOf(await head('0x99'), await head('0x10'), await head('0x11'));
    expect(await rpc([{ method: 'eth_blockNumber', params: [] }])).toEqual(word('0x10'));
  });

  test('two against one win, whoever comes first', async () => {
    const honest = () => node(says(receipt('0xa')));
    const [one, two] = [await honest(), await honest()];
    for (const lie of [null, receipt('0xb')]) {
      const liar = await node(says(lie));
      expect(await rpcOf(liar, one, two)(receiptCall)).toEqual(word(receipt('0xa')));
    }
  });

  test('a third endpoint is asked for a receipt only if one of two is silent or tells another one', async () => {
    const honest = () => node(says(receipt('0xa')));
    const [one, two, spare] = [await honest(), await honest(), await honest()];
    expect(await rpcOf(one, two, spare)(receiptCall)).toEqual(word(receipt('0xa')));
    expect(spare.asked).toEqual([]);
    const both = [...receiptCall, { method: 'eth_blockNumber', params: [] }];
    await rpcOf(one, two, spare)(both);
    expect(spare.asked).toEqual(['eth_blockNumber']);
    for (const other of [{ url: DEAD }, await node(says(receipt('0xb'))), await node(says(null))]) {
      spare.asked.length = 0;
      expect(await rpcOf(one, other, spare)(receiptCall)).toEqual(word(receipt('0xa')));
      expect(spare.asked).toEqual(['eth_getTransactionReceipt']);
    }
  });

  test('what two endpoints write differently is the same receipt', async () => {
    const written = {
      ...receipt('0xAB'),
      gasUsed: '0x05',
      logs: [{ address: '0xAA', topics: [], data: '0x', logIndex: '0x0' }],
    };
    const other = {
      ...receipt('0xab'),
      gasUsed: '0x5',
      l1Fee: null,
      logs: [{ address: '0xaa', topics: [], data: '0x', logIndex: '0x0' }],
    };
    const spare = await node(says(null));
    expect(await rpcOf(await node(says(written)), await node(says(other)), spare)(receiptCall)).toEqual(word(written));
    expect(spare.asked).toEqual([]);
  });

  test('one receipt that settlement cannot read does not stand for all', async () => {
    const honest = () => node(says(receipt('0xa')));
    for (const change of [
      { from: 5 },
      { logs: {} },
      { transactionHash: 'no hex' },
      { logs: [{ transactionHash: 1 }] },
    ]) {
      const liar = await node(says({ ...receipt('0xa'), ...change }));
      const rpc = rpcOf(liar, await honest(), await honest());
      expect(await rpc(receiptCall), JSON.stringify(change)).toEqual(word(receipt('0xa')));
    }
  });

  test('a receipt that one endpoint alone knows is not believed because that of the other cannot be read', async () => {
    const [liar, odd] = [await node(says(receipt('0xb'))), await node(says({ ...receipt('0xa'), from: null }))];
    for (const rpc of [rpcOf(liar, odd), rpcOf(odd, liar)])
      expect(await rpc(receiptCall)).toMatchObject([{ ok: false, code: DISAGREEMENT }]);
  });

  test('a receipt is what all endpoints together say, whichever of them are asked', async () => {
    const log = { transactionHash: '0x1', address: '0xaa', topics: [], data: '0x', logIndex: '0x0' };
    const hostile = [
      { ...receipt('0xa'), logs: [null] },
      { ...receipt('0xa'), logs: {} },
      { ...receipt('0xa'), from: 5 },
      { ...receipt('0xa'), gasUsed: `0x${'f'.repeat(1_000_000)}` },
      { ...receipt('0xb'), logs: [{ ...log, transactionHash: 1 }] },
      { ...receipt('0xb'), logs: [{ ...log, data: 'no hex' }] },
    ];
    const ofAnother = { ...receipt('0xb'), logs: [{ ...log, transactionHash: '0x2' }] };
    const refusal: RpcAnswer = { ok: false, code: -32_000, message: 'no', data: null };
    const words: readonly (RpcAnswer | undefined)[] = [
      ...[null, receipt('0xa'), { ...receipt('0xb'), logs: [log] }, ofAnother, ...hostile].map(
        (result): RpcAnswer => ({ ok: true, result }),
      ),
      refusal,
      undefined,
    ];
    const voters = words.map((answer) => async () => {
      if (answer === undefined) throw new RpcUnavailable('silent');
      return [answer];
    });
    for (const nodes of voters.flatMap((a) => voters.flatMap((b) => voters.map((c) => [a, b, c] as const)))) {
      const said = nodes.flatMap((one) => words[voters.indexOf(one)] ?? []);
      // A receipt that can't be read has a vote of its own.
      const counted = said.map((answer) =>
        answer.ok && hostile.some((one) => one === answer.result) ? UNREADABLE : answer,
      );
      const read = async () => {
        if (said[0] === undefined) throw new RpcUnavailable('silent');
        return [said[0]];
      };
      const pool = { patienceMs: 1_000, endpoints: nodes, healthyEndpoints: async () => nodes, read };
      const told = await requireEndpointQuorum(pool)(receiptCall).catch(() => 'silent');
      expect(told, JSON.stringify(said)).toEqual(said.length === 0 ? 'silent' : [byAll(counted)]);
    }
  });

  const poolOf = (...nodes: readonly JsonRpc[]) => ({
    patienceMs: 100,
    endpoints: nodes as readonly [JsonRpc, ...JsonRpc[]],
    healthyEndpoints: async () => nodes,
    read: async () => Promise.reject(new RpcUnavailable('silent')),
  });
  const saysAfter =
    (ms: number, hash: string): JsonRpc =>
    async (calls) => {
      if (calls.some(({ method }) => method === 'eth_getTransactionReceipt')) await sleep(ms);
      return calls.map(({ method }) => ({ ok: true, result: method === 'eth_blockNumber' ? '0x10' : receipt(hash) }));
    };
  const both = [...receiptCall, { method: 'eth_blockNumber', params: [] }];

  test('a third endpoint that keeps its receipt to itself is not waited for longer than others', async () => {
    const never = new Promise<never>(() => {});
    const hoards: JsonRpc = async (calls) =>
      calls.some(({ method }) => method !== 'eth_blockNumber') ? never : [{ ok: true, result: '0x10' }];
    const rpc = requireEndpointQuorum(poolOf(saysAfter(0, '0xa'), saysAfter(0, '0xb'), hoards));
    expect(await rpc(both)).toMatchObject([{ code: DISAGREEMENT }, { ok: true }]);
  });

  test('a third endpoint that tells its height at once does not end the wait for receipts', async () => {
    const rpc = requireEndpointQuorum(poolOf(saysAfter(150, '0xa'), saysAfter(160, '0xa'), saysAfter(0, '0xb')));
    expect(await rpc(both)).toMatchObject([{ result: receipt('0xa') }, { ok: true }]);
  });

  test('an endpoint that does not answer has no vote', async () => {
    expect(await rpcOf({ url: DEAD }, await node(says(receipt('0xa'))))(receiptCall)).toEqual(word(receipt('0xa')));
  });

  test('of what is final the most cautious word counts', async () => {
    const final = (number: string) => node(() => ({ number }));
    const rpc = rpcOf(await final('0x20'), await final('0x10'));
    const call = [{ method: 'eth_getBlockByNumber', params: ['finalized', false] }];
    expect(await rpc(call)).toEqual(word({ number: '0x10' }));
  });

  test('other calls beside them come back in their places', async () => {
    const both = ({ method }: Call) => (method === 'word' ? 'w' : null);
    const rpc = rpcOf(await node(both), await node(both));
    expect(await rpc([...ask, ...receiptCall, ...ask])).toEqual([...word('w'), ...word(null), ...word('w')]);
  });
});
