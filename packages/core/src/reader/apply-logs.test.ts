import { describe, expect, test } from 'vitest';
import { createMemoryReaderStore } from '../testing/memory-reader-store.ts';
import { ofNetwork } from '../testing/memory-reader-tables.ts';
import { createTables } from '../testing/memory-tables.ts';
import {
  createSampleChain,
  createSampleNode,
  FINAL_BEHIND,
  SAMPLE_NETWORK,
  SAMPLE_PROCESSOR,
  SAMPLE_TOKEN,
  type SampleNode,
  sampleReaderChain,
} from '../testing/sample-reader-chain.ts';
import type { AppliedLog, ApplyStore, FinalLog } from './apply-store.ts';
import { createChainReader, READER_LIMITS } from './create-chain-reader.ts';
import { logKey, type MoneyLog } from './money-log.ts';

const HEIGHT = 30;
const FINAL = BigInt(HEIGHT - 1 - FINAL_BEHIND);

function world(nodeCount = 3, pageSize = 3) {
  const tables = createTables();
  const chain = createSampleChain(HEIGHT);
  const nodes = Array.from({ length: nodeCount }, () => createSampleNode(chain));
  const events: string[] = [];
  const applied: FinalLog[] = [];
  const answers = new Map<string, AppliedLog | Error>();
  const recorded = new Set<string>();
  let nowMs = 0;
  for (const [address, kind] of [[SAMPLE_PROCESSOR, 'processor'] as const, [SAMPLE_TOKEN, 'token'] as const])
    tables.offeredSources.set(ofNetwork(SAMPLE_NETWORK, address), {
      address,
      kind,
      firstBlock: 1n,
      offeredAtSeconds: undefined,
    });
  const memory = createMemoryReaderStore(tables, async (_name, action) => action());
  const apply: ApplyStore = {
    dropRecorded: async (_network, logs) => logs.filter(({ position }) => !recorded.has(logKey(position))),
    applyLog: async (network, final) => {
      const key = logKey(final.log.position);
      const answer = answers.get(key) ?? { outcome: 'ignored', reason: 'a test' };
      if (answer instanceof Error) throw answer;
      if (answer.outcome === 'waits') return answer;
      tables.readLogs.delete(ofNetwork(network, key));
      applied.push(final);
      return answer;
    },
  };
  const start = () =>
    createChainReader(
      sampleReaderChain(nodes),
      {
        reader: { ...memory, selectOwn: async (_network, logs) => logs },
        apply,
        clock: { nowMs: () => nowMs },
        log: (event) => void events.push(event),
        metrics: { blocksPassed: () => {}, blocksBehind: () => {}, rewound: () => {}, logApplied: () => {} },
      },
      { ...READER_LIMITS, claimMs: 0, headDepth: 0, pageSize, maxPages: 20 },
    );
  const job = start();
  const keys = (logs: readonly MoneyLog[]) => logs.map(({ position }) => logKey(position));
  return {
    tables,
    chain,
    nodes,
    events,
    answers,
    recorded,
    applied,
    run: job.run,
    job,
    /** Another process takes over. */
    restart: start,
    pass: (ms: number) => {
      nowMs += ms;
    },
    appliedKeys: () => keys(applied.map(({ log }) => log)),
    keys,
  };
}

const numbers = (from: bigint, to: bigint) =>
  Array.from({ length: Number(to - from) + 1 }, (_, at) => from + BigInt(at));

test('every log of a final block is applied, in the order of the chain, and none of another', async () => {
  const { run, chain, appliedKeys, keys, tables } = world();
  const logs = numbers(1n, 29n).map((number) => chain.put(number, 'processor'));
  await run();
  expect(appliedKeys()).toEqual(keys(logs.filter(({ position }) => position.blockNumber <= FINAL)));
  expect(tables.readLogs.size).toBe(FINAL_BEHIND);
});

test('the job is named after the reader and its network', () => {
  expect(world().job.name).toBe('reader.eip155.84532');
});

test('a log that fails holds up no other, and is applied later', async () => {
  const { run, chain, answers, appliedKeys, keys, events } = world();
  const logs = numbers(1n, 9n).map((number) => chain.put(number, 'processor'));
  for (const bad of [0, 4]) answers.set(keys(logs)[bad] ?? '', new Error('this one'));
  await run();
  expect(appliedKeys()).toEqual(keys(logs.filter((_, index) => index !== 0 && index !== 4)));
  expect(events.filter((event) => event === 'row_skipped')).toHaveLength(2);
  answers.clear();
  await run();
  expect(appliedKeys().toSorted()).toEqual(keys(logs).toSorted());
});

test('a log that its lane recorded is not applied', async () => {
  const { run, chain, recorded, appliedKeys, keys } = world();
  const [one, two] = [chain.put(2n, 'processor'), chain.put(3n, 'processor')];
  recorded.add(logKey(one.position));
  await run();
  expect(appliedKeys()).toEqual(keys([two]));
});

test('logs are applied one by one when recorded ones cannot be dropped together', async () => {
  const { run, chain, recorded, appliedKeys, keys } = world();
  const logs = [chain.put(2n, 'processor'), chain.put(3n, 'processor')];
  recorded.has = () => {
    throw new Error('this page');
  };
  await run();
  expect(appliedKeys()).toEqual(keys(logs));
});

test('a log that waits for its lane too long is told, and not before, whichever process reads', async () => {
  const { run, chain, answers, events, pass, appliedKeys, restart } = world();
  const log = chain.put(2n, 'processor');
  answers.set(logKey(log.position), { outcome: 'waits', reason: 'lane' });
  await run();
  pass(READER_LIMITS.laneMs - 1);
  await run();
  expect(events).toEqual([]);
  pass(1);
  await restart().run();
  expect(events).toEqual(['read_log_unrecorded']);
  answers.clear();
  await run();
  expect(appliedKeys()).toHaveLength(1);
});

describe('the use of an authorization', () => {
  test('comes with the transfer that follows it', async () => {
    const { run, chain, applied } = world();
    chain.put(2n, 'token');
    await run();
    expect(applied).toMatchObject([
      { transfer: { logIndex: 1, to: '0xwallet', valueAtomic: 5n }, blockTimeSeconds: 1_002n },
    ]);
  });

  const bent: Record<string, (node: SampleNode) => void> = {
    'has no receipt': (node) => Object.assign(node, { readEvidence: async () => [undefined] }),
    'shows another transfer': (node) => bendEvidence(node, { transfer: undefined }),
    'shows a receipt of another block': (node) => bendEvidence(node, { blockHash: '0xfork' }),
    'shows a receipt of another transaction': (node) => bendEvidence(node, { transactionId: '0xother' }),
  };
  test.each(Object.entries(bent))('waits while one of two nodes %s, and is told', async (_, bend) => {
    const { run, chain, nodes, appliedKeys, events, pass } = world(2);
    const use = chain.put(2n, 'token');
    const settled = chain.put(3n, 'processor');
    const [node] = nodes;
    const honest = { ...node };
    if (node !== undefined) bend(node);
    await run();
    expect(appliedKeys()).toEqual([logKey(settled.position)]);
    expect(events).toEqual([]);
    pass(READER_LIMITS.laneMs);
    await run();
    expect(events).toEqual(['read_log_unrecorded']);
    if (node !== undefined) Object.assign(node, honest);
    await run();
    expect(appliedKeys()).toContain(logKey(use.position));
  });

  test('is applied by the word of two nodes, whatever the third shows', async () => {
    const { run, chain, nodes, applied } = world(3);
    chain.put(2n, 'token');
    if (nodes[0] !== undefined) bendEvidence(nodes[0], { transfer: undefined });
    await run();
    expect(applied).toMatchObject([{ transfer: { valueAtomic: 5n } }]);
  });
});

function bendEvidence(node: SampleNode, change: object): void {
  const { readEvidence } = node;
  Object.assign(node, {
    readEvidence: async (uses: Parameters<typeof readEvidence>[0]) =>
      (await readEvidence(uses)).map((shown) => shown && { ...shown, ...change }),
  });
}

test('a log whose block is another at finality is not applied: the reader goes back and reads what is true', async () => {
  const { run, chain, tables, answers, applied, events } = world();
  const log = chain.put(8n, 'processor');
  answers.set(logKey(log.position), { outcome: 'waits', reason: 'lane' });
  await run();
  const forged = { ...log, position: { ...log.position, blockHash: '0xforged' } };
  tables.readLogs.set(ofNetwork(SAMPLE_NETWORK, logKey(log.position)), forged);
  answers.clear();
  await run();
  expect(events).toEqual(['read_log_block_gone', 'reader_rewound']);
  expect(applied).toEqual([]);
  expect(tables.readLogs.size).toBe(0);
  await run();
  expect(applied.map((one) => one.log)).toEqual([log]);
});

test('remembered blocks stay few, and one final block stays', async () => {
  const { run, chain, tables } = world();
  for (let runs = 0; runs < 30; runs += 1) {
    await run();
    chain.grow(1);
  }
  const remembered = [...tables.readerBlocks.values()].map(({ number }) => number);
  const final = BigInt(chain.blocks.length - 2 - FINAL_BEHIND);
  expect(remembered.length).toBeLessThanOrEqual(FINAL_BEHIND + 2);
  expect(remembered.some((number) => number <= final)).toBe(true);
});

test('blocks below a log that is not applied stay remembered', async () => {
  const { run, chain, tables, answers } = world();
  const log = chain.put(2n, 'processor');
  answers.set(logKey(log.position), { outcome: 'waits', reason: 'lane' });
  for (let runs = 0; runs < 10; runs += 1) {
    await run();
    chain.grow(3);
  }
  expect([...tables.readerBlocks.values()].some(({ number }) => number < 2n)).toBe(true);
});
