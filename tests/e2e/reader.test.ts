// The chain reader on a real chain and a real database: every log of ours is applied once, and no other, whatever happens.
import { expect, test } from 'vitest';
import { type AnvilReaderWorld, FINAL_AFTER, type ReaderPorts, runThrough, startReaderWorld } from './reader-world.ts';
import type { RpcProxy } from './rpc-proxy.ts';

const MOST_RUNS = 20;

const everyLogOnce = async ({ expected, applied }: AnvilReaderWorld, atLeast: number) => {
  const logs = await expected();
  expect(logs.length).toBeGreaterThanOrEqual(atLeast);
  expect(await applied()).toEqual(logs);
};

class Killed extends Error {
  override readonly name = 'Killed';
}

/** The parts of a process that dies at its n-th call of a store or a node, before or after the call takes effect. */
function killedAt({ chain, store, apply }: ReaderPorts, call: number, moment: 'before' | 'after') {
  let calls = 0;
  let dead = false;
  const mortal = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          calls += 1;
          const dies = calls === call;
          if (dead || (dies && moment === 'before')) {
            dead = true;
            throw new Killed(String(name));
          }
          const result: unknown = await Reflect.apply(value, target, args);
          if (dies) {
            dead = true;
            throw new Killed(String(name));
          }
          return result;
        };
      },
    });
  const parts: ReaderPorts = {
    chain: { ...chain, nodes: async () => (await chain.nodes()).map(mortal) },
    store: mortal(store),
    apply: mortal(apply),
  };
  return { parts, isDead: () => dead };
}

test.for(['before', 'after'] as const)(
  'killed %s any call, it goes on without a gap and without a double',
  async (moment) => {
    const world = await startReaderWorld();
    await world.newReader().run();
    let killed = 0;
    for (let call = 1; ; call += 1) {
      await world.settle(2);
      await world.useOwn(1);
      await world.useForeign(1);
      const process = killedAt(world, call, moment);
      // One run reads, applies what became final, and forgets blocks.
      await world
        .newReader(process.parts)
        .run()
        .catch(() => {});
      if (!process.isDead()) break;
      killed += 1;
    }
    await world.mine(FINAL_AFTER);
    await runThrough(world.newReader(), world);
    expect(killed).toBeGreaterThan(20);
    await everyLogOnce(world, 3 * killed);
  },
);

test('two processes that read at the same time apply each log once', async () => {
  const world = await startReaderWorld();
  await world.newReader().run();
  for (let round = 0; round < 10; round += 1) {
    await world.settle(3);
    await world.useOwn(2);
    await Promise.all([world.newReader().run(), world.newReader().run()]);
  }
  await world.mine(FINAL_AFTER);
  await runThrough(world.newReader(), world);
  await everyLogOnce(world, 50);
});

test.each([1, 3])(
  'after a reorg of %i blocks what they had is not applied, and what replaced them is',
  async (depth) => {
    const world = await startReaderWorld();
    const reader = world.newReader();
    await reader.run();
    await world.settle(2);
    for (let block = 0; block < depth; block += 1) await world.settle(1);
    const lost = await world.head();
    // The block on top is not read yet.
    await world.mine(1);
    const read = async () => (await world.store.loadUnapplied(world.network, lost, undefined, 100)).length;
    // A node that is slow for a moment leaves a range to the next run.
    for (let runs = 0; runs < MOST_RUNS && (await read()) < 2 + depth; runs += 1) await reader.run();
    expect(await read()).toBe(2 + depth);
    await world.reorganize(depth + 1);
    await world.settle(5);
    await world.mine(FINAL_AFTER + 1);
    await runThrough(reader, world);
    expect(world.told).toContain('reader_rewound');
    await everyLogOnce(world, 7);
    expect(await world.applied()).toHaveLength(7);
  },
);

test('10,000 foreign logs among 500 of ours: each of ours once, and no other', async () => {
  const world = await startReaderWorld();
  const reader = world.newReader();
  await reader.run();
  for (let part = 0; part < 10; part += 1) {
    await world.useForeign(500);
    await world.useOwn(40);
    await world.useForeign(500);
    await world.settle(10);
  }
  await world.mine(FINAL_AFTER);
  await runThrough(reader, world);
  await everyLogOnce(world, 500);
  expect(await world.applied()).toHaveLength(500);
});

/** What a node says that stands still at its present head. */
async function frozenAt({ ask, head }: AnvilReaderWorld) {
  const number = await head();
  const block = (at: bigint) => ask('eth_getBlockByNumber', [`0x${at.toString(16)}`, false]);
  const [latest, finalized] = await Promise.all([block(number), block(number - BigInt(FINAL_AFTER))]);
  return (proxy: RpcProxy) =>
    proxy.behave({
      kind: 'liar',
      lie: ({ method, params: [asked] }, truth) => {
        if (method === 'eth_getLogs')
          return (truth as { blockNumber: string }[]).filter((log) => BigInt(log.blockNumber) <= number);
        if (method !== 'eth_getBlockByNumber') return undefined;
        if (asked === 'latest') return latest;
        if (asked === 'finalized') return finalized;
        return BigInt(asked as string) > number ? null : undefined;
      },
    });
}

const droppingLogs = (proxy: RpcProxy) =>
  proxy.behave({ kind: 'liar', lie: ({ method }) => (method === 'eth_getLogs' ? [] : undefined) });

type Logged = { readonly data: string; readonly topics: readonly string[] };
/** Another amount in the logs of a processor, another nonce in those of a token. */
const lying = (proxy: RpcProxy) =>
  proxy.behave({
    kind: 'liar',
    lie: ({ method }, truth) =>
      method === 'eth_getLogs'
        ? (truth as Logged[]).map((log) => ({
            ...log,
            data: log.data.replace('384', '999'),
            topics: log.data === '0x' ? log.topics.with(2, `0x${'99'.repeat(32)}`) : log.topics,
          }))
        : undefined,
  });

const hidingOne = (proxy: RpcProxy) =>
  proxy.behave({
    kind: 'liar',
    lie: ({ method }, truth) => (method === 'eth_getLogs' ? (truth as unknown[]).slice(1) : undefined),
  });

const inventing = (proxy: RpcProxy) =>
  proxy.behave({
    kind: 'liar',
    lie: ({ method }, truth) =>
      method === 'eth_getLogs'
        ? (truth as { transactionHash: string }[]).map((log) => ({ ...log, transactionHash: `0x${'66'.repeat(32)}` }))
        : undefined,
  });

test.for<[string, (proxy: RpcProxy) => void]>([
  ['drops all logs', droppingLogs],
  ['hides one log', hidingOne],
  ['lies about amounts and nonces', lying],
  ['tells other transactions', inventing],
])('while one of three nodes %s, the two others are believed', async ([, behave]) => {
  const world = await startReaderWorld(3);
  const reader = world.newReader();
  await reader.run();
  behave(world.proxies[0]!);
  await world.settle(4);
  await world.useOwn(3);
  await world.mine(FINAL_AFTER + 1);
  await runThrough(reader, world);
  expect(world.proxies[0]!.lies()).toBeGreaterThan(0);
  await everyLogOnce(world, 7);
});

test.for<[string, (proxy: RpcProxy) => void]>([
  ['drops all logs', droppingLogs],
  ['hides one log', hidingOne],
  ['lies about amounts and nonces', lying],
])('while one of two nodes %s, no block with logs passes; afterwards all do', async ([, behave]) => {
  const world = await startReaderWorld(2);
  const reader = world.newReader();
  await reader.run();
  behave(world.proxies[1]!);
  await world.settle(4);
  await world.useOwn(3);
  const blockNumber = await world.head();
  await world.mine(FINAL_AFTER + 1);
  for (let run = 0; run < 3; run += 1) await reader.run();
  expect(world.told).toContain('rpc_endpoints_contradict_logs');
  const cursors = await world.store.loadCursors(world.network);
  expect(cursors.filter(({ at }) => at.number >= blockNumber)).toEqual([]);
  expect(await world.applied()).toEqual([]);
  world.proxies[1]!.behave({ kind: 'honest' });
  await runThrough(reader, world);
  await everyLogOnce(world, 7);
});

test('the empty answer of a node that lags is not believed: blocks that only one node has wait', async () => {
  const world = await startReaderWorld(2);
  const reader = world.newReader();
  await world.mine(FINAL_AFTER);
  await reader.run();
  const before = await world.head();
  (await frozenAt(world))(world.proxies[1]!);
  await world.settle(4);
  await world.useOwn(3);
  await world.mine(2 * FINAL_AFTER);
  for (let run = 0; run < 3; run += 1) await reader.run();
  const cursors = await world.store.loadCursors(world.network);
  expect(cursors.filter(({ at }) => at.number > before)).toEqual([]);
  world.proxies[1]!.behave({ kind: 'honest' });
  await runThrough(reader, world);
  await everyLogOnce(world, 7);
});

test('a node alone is believed when it gives the same twice, and its blocks are final', async () => {
  const world = await startReaderWorld(2);
  const reader = world.newReader();
  await reader.run();
  world.proxies[1]!.behave({ kind: 'dead' });
  await world.settle(4);
  await world.useOwn(3);
  const made = await world.head();
  await world.mine(FINAL_AFTER - 1);
  for (let run = 0; run < 3; run += 1) await reader.run();
  const cursors = await world.store.loadCursors(world.network);
  expect(cursors.filter(({ at }) => at.number >= made)).toEqual([]);
  await world.mine(2);
  await runThrough(reader, world);
  await everyLogOnce(world, 7);
});

test('a node alone that drops logs once is found out by its second answer', async () => {
  const world = await startReaderWorld(1);
  const reader = world.newReader();
  await reader.run();
  await world.settle(4);
  await world.mine(FINAL_AFTER + 1);
  droppingLogs(world.proxies[0]!);
  await reader.run();
  world.proxies[0]!.behave({ kind: 'honest' });
  await runThrough(reader, world);
  await everyLogOnce(world, 4);
});

test('a node that refuses large answers is asked for smaller ranges', async () => {
  const world = await startReaderWorld(2);
  await world.newReader().run();
  await world.mine(300);
  for (let part = 0; part < 5; part += 1) {
    await world.settle(3);
    await world.mine(20);
  }
  await world.mine(FINAL_AFTER);
  const large = 16n;
  world.proxies[0]!.behave({
    kind: 'liar',
    lie: ({ method, params: [filter] }) => {
      const { fromBlock, toBlock } = (filter ?? {}) as { fromBlock: string; toBlock: string };
      // Something that is no list of logs: the proxy can't answer with an error.
      return method === 'eth_getLogs' && BigInt(toBlock) - BigInt(fromBlock) >= large
        ? Array.from({ length: 20_001 }, () => ({}))
        : undefined;
    },
  });
  await runThrough(world.newReader(), world);
  expect(world.proxies[0]!.lies()).toBeGreaterThan(0);
  await everyLogOnce(world, 15);
});
