import { describe, expect, test } from 'vitest';
import { createMemoryReaderStore } from '../testing/memory-reader-store.ts';
import { ofNetwork } from '../testing/memory-reader-tables.ts';
import { createTables, type Statement } from '../testing/memory-tables.ts';
import {
  createSampleChain,
  createSampleNode,
  FINAL_BEHIND,
  SAMPLE_NETWORK,
  SAMPLE_PROCESSOR,
  SAMPLE_TOKEN,
  sampleReaderChain,
} from '../testing/sample-reader-chain.ts';
import { createReadChain, type ReadLimits } from './read-chain.ts';
import { RangeTooLarge, type ReaderSource } from './reader-chain.ts';

const PROCESSOR: ReaderSource = { address: SAMPLE_PROCESSOR, kind: 'processor' };
const TOKEN: ReaderSource = { address: SAMPLE_TOKEN, kind: 'token' };
const LIMITS: ReadLimits = {
  firstRange: 4,
  maxRange: 8,
  manyLogs: 100,
  maxRanges: 100,
  headDepth: 0,
  claimMs: 0,
};

/** A chain of ten blocks whose processor is read from block 0, and nodes that show it. */
function world(nodeCount: number, limits: Partial<ReadLimits> = {}, sources = [PROCESSOR]) {
  const tables = createTables();
  const chain = createSampleChain(10);
  const nodes = Array.from({ length: nodeCount }, () => createSampleNode(chain));
  const events: string[] = [];
  let statement: Statement = async (_name, action) => action();
  for (const source of sources)
    tables.offeredSources.set(ofNetwork(SAMPLE_NETWORK, source.address), {
      ...source,
      firstBlock: 1n,
      offeredAtSeconds: undefined,
    });
  let nowMs = 0;
  const start = () =>
    createReadChain(
      sampleReaderChain(nodes),
      {
        reader: createMemoryReaderStore(tables, (name, action) => statement(name, action)),
        clock: { nowMs: () => nowMs },
        log: (event) => void events.push(event),
        metrics: { blocksPassed: () => {}, blocksBehind: () => {}, rewound: () => {} },
      },
      { ...LIMITS, ...limits },
    );
  const run = start();
  return {
    tables,
    chain,
    nodes,
    events,
    start,
    run,
    pass: (ms: number) => {
      nowMs += ms;
    },
    setStatement: (next: Statement) => {
      statement = next;
    },
    cursor: (source = PROCESSOR) => tables.readerCursors.get(ofNetwork(SAMPLE_NETWORK, source.address))?.at,
    read: () =>
      [...tables.readLogs.values()]
        .map(({ position }) => position.blockNumber)
        .toSorted((one, other) => Number(one - other)),
  };
}

const must = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('missing');
  return value;
};

describe('with two nodes', () => {
  test('every log up to the head is read once, and the cursor ends at the head', async () => {
    const { run, chain, cursor, read } = world(2);
    for (const number of [1n, 4n, 5n, 9n]) chain.put(number, 'processor');
    await run();
    expect(cursor()).toEqual(must(chain.blocks[9]).ref);
    expect(read()).toEqual([1n, 4n, 5n, 9n]);
  });

  test('a range with logs that one node lacks does not pass, and is told', async () => {
    const { run, chain, nodes, cursor, events } = world(2);
    chain.put(3n, 'processor');
    must(nodes[0]).bend = () => [];
    await run();
    expect(cursor()?.number).toBe(0n);
    expect(events).toContain('rpc_endpoints_contradict_logs');
    must(nodes[0]).bend = undefined;
    await run();
    expect(cursor()?.number).toBe(9n);
  });

  test('blocks that one node has not seen are not passed', async () => {
    const { run, nodes, cursor } = world(2);
    must(nodes[0]).lag = 3;
    await run();
    expect(cursor()?.number).toBe(6n);
  });

  test('one of two that is silent leaves the other to the rules of a single node', async () => {
    const { run, nodes, cursor } = world(2);
    must(nodes[0]).isSilent = true;
    await run();
    expect(cursor()?.number).toBe(0n);
    await run();
    expect(cursor()?.number).toBe(BigInt(9 - FINAL_BEHIND));
  });

  test('a node that gives heads and never logs leaves the other to the rules of a single node', async () => {
    const { run, nodes, cursor, chain, read } = world(2);
    chain.put(2n, 'processor');
    chain.put(8n, 'processor');
    must(nodes[0]).bend = () => {
      throw new Error('method not found');
    };
    for (let runs = 0; runs < 3; runs += 1) await run();
    expect(cursor()?.number).toBe(BigInt(9 - FINAL_BEHIND));
    expect(read()).toEqual([2n]);
  });
});

describe('with three nodes', () => {
  test.each(['lags', 'drops', 'invents', 'forks', 'is silent'])('one that %s changes nothing', async (how) => {
    const { run, chain, nodes, cursor, read } = world(3);
    for (const number of [2n, 7n]) chain.put(number, 'processor');
    const bad = must(nodes[1]);
    if (how === 'lags') bad.lag = 8;
    if (how === 'drops') bad.bend = () => [];
    if (how === 'invents') bad.bend = (logs) => [...logs, ...logs.map((log) => ({ ...log, payer: '0xelse' }))];
    if (how === 'is silent') bad.isSilent = true;
    if (how === 'forks') {
      const fork = createSampleChain(5);
      fork.grow(9, 'f');
      fork.put(7n, 'processor');
      bad.fork = fork.blocks;
    }
    await run();
    expect(cursor()).toEqual(must(chain.blocks[9]).ref);
    expect(read()).toEqual([2n, 7n]);
  });
});

test('of three nodes one that lags and one that gives no logs leave nothing to pass to the third', async () => {
  const { run, nodes, cursor } = world(3);
  must(nodes[0]).lag = 9;
  must(nodes[1]).bend = () => {
    throw new Error('method not found');
  };
  for (let runs = 0; runs < 3; runs += 1) await run();
  expect(cursor()?.number).toBe(0n);
});

describe('with one node alone', () => {
  test('only final blocks pass, and only when a later run reads the same again', async () => {
    const { run, chain, cursor, read, nodes } = world(1);
    chain.put(2n, 'processor');
    chain.put(8n, 'processor');
    await run();
    expect(cursor()?.number).toBe(0n);
    expect(must(nodes[0]).logReads).toBeGreaterThan(0);
    await run();
    expect(cursor()?.number).toBe(BigInt(9 - FINAL_BEHIND));
    expect(read()).toEqual([2n]);
    const before = must(nodes[0]).logReads;
    await run();
    expect(must(nodes[0]).logReads).toBe(before);
  });

  test('a range that it shows differently the second time does not pass', async () => {
    const { run, chain, cursor, nodes, read } = world(1);
    chain.put(2n, 'processor');
    must(nodes[0]).bend = () => [];
    await run();
    must(nodes[0]).bend = undefined;
    await run();
    expect(cursor()?.number).toBe(0n);
    await run();
    expect(cursor()?.number).toBe(4n);
    expect(read()).toEqual([2n]);
  });

  test('a new process reads everything twice again', async () => {
    const { run, start, cursor } = world(1);
    await run();
    await start()();
    expect(cursor()?.number).toBe(0n);
    await run();
    expect(cursor()?.number).toBe(4n);
  });

  test('follows a chain that grows between runs, and catches up many ranges in two runs', async () => {
    const { run, chain, cursor } = world(1);
    chain.grow(200);
    await run();
    chain.grow(1);
    await run();
    expect(cursor()?.number).toBe(BigInt(209 - FINAL_BEHIND));
    for (let runs = 0; runs < 6; runs += 1) {
      chain.grow(1);
      await run();
    }
    expect(Number(cursor()?.number)).toBeGreaterThan(209 - FINAL_BEHIND + 3);
  });
});

describe('a reorg', () => {
  test.each([1, 3])('of %i blocks is found at the cursor, and the new blocks are read', async (depth) => {
    const { run, chain, cursor, read, events } = world(2, { maxRange: 1, firstRange: 1 });
    for (const number of [5n, 7n, 9n]) chain.put(number, 'processor');
    await run();
    expect(read()).toEqual([5n, 7n, 9n]);
    chain.cut(depth);
    chain.grow(depth + 1, 'r');
    chain.put(9n, 'processor');
    await run();
    expect(events).toEqual(['reader_rewound']);
    await run();
    expect(cursor()).toEqual(must(chain.blocks.at(-1)).ref);
    expect(read()).toEqual(chain.blocks.flatMap(({ logs }) => logs.map(({ position }) => position.blockNumber)));
  });

  test('between the logs and the last block of a range keeps the range from passing', async () => {
    const { run, chain, nodes, cursor, read } = world(2);
    await run();
    const before = cursor();
    chain.grow(3);
    let reads = 0;
    for (const node of nodes) {
      node.meanwhile = () => {
        reads += 1;
        if (reads !== 2) return;
        chain.cut(3);
        chain.grow(3, 'r');
        chain.put(11n, 'processor');
      };
    }
    await run();
    expect(cursor()).toEqual(before);
    await run();
    expect(cursor()).toEqual(must(chain.blocks.at(-1)).ref);
    expect(read()).toEqual([11n]);
  });

  test('of more blocks than are asked for at once goes back to where it began', async () => {
    const { run, chain, cursor, read } = world(2, { maxRange: 1, firstRange: 1, maxRanges: 200 });
    chain.grow(110);
    chain.put(9n, 'processor');
    await run();
    chain.cut(105);
    chain.grow(106, 'r');
    chain.put(16n, 'processor');
    await run();
    expect(cursor()?.number).toBe(14n);
    await run();
    expect(cursor()).toEqual(must(chain.blocks.at(-1)).ref);
    expect(read()).toEqual([9n, 16n]);
  });

  test('that is found only after it is final loses no log in between', async () => {
    const { run, chain, cursor, read } = world(2);
    await run();
    chain.cut(6);
    chain.grow(40, 'r');
    chain.put(5n, 'processor');
    chain.put(9n, 'processor');
    await run();
    await run();
    expect(cursor()).toEqual(must(chain.blocks.at(-1)).ref);
    expect(read()).toEqual([5n, 9n]);
  });

  test('below every block that is remembered stops the reader, and is told', async () => {
    const { run, chain, cursor, events, tables } = world(2);
    await run();
    const before = cursor();
    chain.cut(10);
    chain.grow(20, 'r');
    await run();
    expect(cursor()).toEqual(before);
    expect(events).toEqual(['reader_fork_not_found']);
    expect(tables.readLogs.size).toBe(0);
  });
});

describe('ranges', () => {
  test('that are too large for a node are read in smaller ones, within the run', async () => {
    const { run, chain, nodes, cursor, read } = world(2, { firstRange: 8 });
    chain.put(5n, 'processor');
    const bad = must(nodes[0]);
    const { readLogs } = bad;
    Object.assign(bad, {
      readLogs: (range: { from: bigint; to: bigint }, sources: never) =>
        range.to - range.from >= 2n ? Promise.reject(new RangeTooLarge('two at most')) : readLogs(range, sources),
    });
    await run();
    expect(cursor()?.number).toBe(9n);
    expect(read()).toEqual([5n]);
  });

  test('of a run are bounded, and the next run goes on', async () => {
    const { run, chain, cursor } = world(2, { maxRanges: 2, maxRange: 4 });
    chain.grow(30);
    await run();
    expect(cursor()?.number).toBe(8n);
    await run();
    expect(cursor()?.number).toBe(16n);
  });
});

describe('sources', () => {
  test('of a token are read to the block that was final long enough ago', async () => {
    const { run, chain, cursor, pass } = world(2, { claimMs: 1_000 }, [PROCESSOR, TOKEN]);
    await run();
    expect(cursor(TOKEN)?.number).toBe(0n);
    chain.grow(10);
    pass(1_000);
    await run();
    expect(cursor(TOKEN)?.number).toBe(BigInt(9 - FINAL_BEHIND));
    expect(cursor()?.number).toBe(19n);
  });

  test('of a token are selected late enough to keep a use that came before its claim was written', async () => {
    const { run, chain, pass, tables } = world(2, { claimMs: 1_000 }, [TOKEN]);
    const used = chain.put(3n, 'token');
    await run();
    pass(999);
    await run();
    // The claim was verified before the use, and is written now.
    const signed = { network: SAMPLE_NETWORK, asset: SAMPLE_TOKEN, payer: used.payer };
    tables.authorizations.set('late', { ...signed, nonce: 'nonce' in used ? used.nonce : '' } as never);
    pass(1);
    await run();
    expect([...tables.readLogs.values()]).toEqual([used]);
  });

  test('that were offered before the reader knew them are read from the block of that time', async () => {
    const { run, chain, cursor, tables, read } = world(2, { maxRange: 2_000, maxRanges: 1 }, []);
    chain.grow(2_000);
    // A `pay()` after the processor was offered, and no batch of a lane yet.
    chain.put(900n, 'processor');
    tables.offeredSources.set(ofNetwork(SAMPLE_NETWORK, PROCESSOR.address), {
      ...PROCESSOR,
      firstBlock: undefined,
      offeredAtSeconds: 1_000n + 850n,
    });
    for (let runs = 0; runs < 20; runs += 1) await run();
    expect(cursor()?.number).toBeGreaterThan(2_000n);
    expect(read()).toEqual([900n]);
    expect([...tables.readerBlocks.values()].map(({ number }) => number)).toContain(249n);
  });

  test('that are new start at the finalized head and are read with the others soon', async () => {
    const { run, chain, cursor, tables, nodes } = world(2, { maxRange: 100 });
    const fresh: ReaderSource = { address: '0xfresh', kind: 'processor' };
    await run();
    tables.offeredSources.set(ofNetwork(SAMPLE_NETWORK, fresh.address), {
      ...fresh,
      firstBlock: undefined,
      offeredAtSeconds: undefined,
    });
    chain.grow(1);
    await run();
    expect(cursor(fresh)).toEqual(cursor());
    const before = must(nodes[0]).logReads;
    chain.grow(1);
    await run();
    expect(must(nodes[0]).logReads - before).toBe(1);
  });
});

test('a process that dies at any statement loses no log and reads none twice', async () => {
  for (let fatal = 0; fatal < 40; fatal += 1) {
    for (const when of ['before', 'after'] as const) {
      const { start, run, chain, setStatement, tables, cursor, read } = world(2, { maxRange: 2, firstRange: 2 });
      for (const number of [1n, 4n, 8n]) chain.put(number, 'processor');
      let count = 0;
      setStatement(async (_name, action) => {
        count += 1;
        if (count === fatal && when === 'before') throw new Error('killed');
        const answer = action();
        if (count === fatal) throw new Error('killed');
        return answer;
      });
      await run().catch(() => {});
      setStatement(async (_name, action) => action());
      const left = Number(cursor()?.number ?? 0n);
      expect(read()).toEqual([1n, 4n, 8n].filter((number) => number <= left));
      await start()();
      expect(read()).toEqual([1n, 4n, 8n]);
      expect(cursor()?.number).toBe(9n);
      expect(tables.readerCursors.size).toBe(1);
    }
  }
});
