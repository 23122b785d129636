import { evmNetwork } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import type { LaneItem } from '../lane/lane.ts';
import { ChainUnavailable, type MinedBatch } from '../lane/lane-chain.ts';
import type { AgeingBatch, BatchBlock, FinalityStore, RecordedBatch } from './finality-store.ts';
import type { BatchVerdict, BlockVerdict } from './judge-batch-block.ts';
import { createFinalityWatch } from './watch-finality.ts';

const NETWORK = evmNetwork(84_532);
const item = { paymentId: 'pay_1', confirmations: 1 } as LaneItem;
const blockOf = (id: string): BatchBlock => ({ id, blockNumber: 10n, blockHash: '0xa' });
const ageingOf = (id: string, openItems: readonly LaneItem[] = []): AgeingBatch => ({
  ...blockOf(id),
  transactionId: `0x${id}`,
  openItems,
});
const recordedOf = (id: string) =>
  ({ id, transactionId: `0x${id}`, items: [item], settledIds: new Set(['pay_1']) }) as unknown as RecordedBatch;
const minedAs = (outcome: 'settled' | 'expired', transactionId = '0x1') =>
  ({
    transactionId,
    blockNumber: 11n,
    confirmations: 1n,
    items: [{ paymentId: 'pay_1', outcome }],
  }) as unknown as MinedBatch;

type World = {
  readonly ageing?: readonly AgeingBatch[];
  readonly young?: readonly BatchBlock[];
  readonly blocks?: (id: string) => BlockVerdict;
  readonly batches?: (id: string) => BatchVerdict;
  readonly newest?: number;
  readonly pageSize?: number;
  readonly change?: Partial<FinalityStore>;
};

async function run({ ageing = [], young = [], newest = 10, pageSize = 3, ...world }: World) {
  const done: string[] = [];
  const asked: string[] = [];
  const lines: (readonly [string, object])[] = [];
  const failures: string[] = [];
  const finality: FinalityStore = {
    loadAgeingBatches: async (_network, _finalized, limit, after) =>
      ageing.filter(({ id }) => after === undefined || id > after).slice(0, limit),
    loadBatchBlocks: async () => young,
    loadRecordedBatch: async (id) => recordedOf(id),
    moveBatch: async ({ id }) => done.push(`moved ${id}`) > 0,
    reverseBatch: async (id) => done.push(`reversed ${id}`) > 0,
    recordSettledFinal: async (ids) => {
      done.push(...ids.map((id) => `final ${id}`));
      return ids;
    },
    recordFinal: async ({ id }, outcomes) => void done.push(['final', id, ...outcomes].join(' ')),
    ...world.change,
  };
  const watch = createFinalityWatch(
    {
      network: NETWORK,
      gasCoin: undefined,
      limits: { finality: { everyMs: 1_000, pageSize, maxPages: 5, newest } },
      readFinalizedNumber: async () => 10n,
      judgeBlocks: async (batches) => {
        asked.push(`blocks ${batches.map(({ id }) => id).join(' ')}`);
        return batches.map(({ id }) => world.blocks?.(id) ?? 'final');
      },
      judgeBatches: async (batches) => {
        asked.push(`batches ${batches.map(({ batch }) => batch.id).join(' ')}`);
        return batches.map(({ batch }) => world.batches?.(batch.id) ?? { verdict: 'unknown' });
      },
    },
    {
      finality,
      clock: { nowMs: () => 0 },
      log: (event, details) => lines.push([event, details]),
      metrics: {
        batchMoved: (network) => void done.push(`counted move ${network}`),
        batchReversed: (network) => void done.push(`counted reversal ${network}`),
      },
      countFailure: (network, watcher) => failures.push(`${watcher} ${network}`),
    },
  );
  await watch.run();
  return { done, asked, lines, failures };
}

describe('the chain is asked for pages, not for rows', () => {
  test('about blocks once for each page, and about no transaction while blocks decide', async () => {
    const { done, asked } = await run({
      ageing: ['1', '2', '3', '4'].map((id) => ageingOf(id)),
      young: [blockOf('5')],
    });
    expect(asked).toEqual(['blocks 1 2 3', 'blocks 4', 'blocks 5']);
    expect(done).toEqual(['final 1', 'final 2', 'final 3', 'final 4']);
  });

  test('about the transactions of a whole page, where blocks tell nothing', async () => {
    const { done, asked } = await run({
      ageing: [ageingOf('1'), ageingOf('2', [item])],
      newest: 0,
      blocks: () => 'unread',
      batches: () => ({ verdict: 'final', mined: minedAs('expired') }),
    });
    expect(asked).toEqual(['blocks 1 2', 'batches 1 2']);
    expect(done).toEqual(['final 1', 'final 2 expired']);
  });

  test('and not about young batches where a reorg shows at finality', async () => {
    const change = { loadBatchBlocks: () => Promise.reject(new Error('not asked')) };
    expect((await run({ newest: 0, change })).asked).toEqual([]);
  });
});

test('after a reorg batches are reversed in the order of their nonces, and one that is mined again is moved', async () => {
  const { done, lines } = await run({
    // Newest first, as the store loads them.
    young: ['3', '2', '1'].map(blockOf),
    blocks: () => 'gone',
    batches: (id) => (id === '2' ? { verdict: 'moved', mined: minedAs('settled', '0x2') } : { verdict: 'absent' }),
  });
  expect(done).toEqual([
    'reversed 1',
    `counted reversal ${NETWORK}`,
    'moved 2',
    `counted move ${NETWORK}`,
    'reversed 3',
    `counted reversal ${NETWORK}`,
  ]);
  expect(lines.map(([event]) => event)).toEqual(['batch_reversed', 'batch_moved', 'batch_reversed']);
  expect(lines[1]?.[1]).toEqual({
    network: NETWORK,
    batchId: '2',
    transactionId: '0x2',
    payments: 1,
    blockNumber: '11',
  });
});

test('a batch whose block is gone is not finished in the same run, whatever its transactions say', async () => {
  const { done } = await run({
    ageing: [ageingOf('1', [item])],
    blocks: () => 'gone',
    batches: () => ({ verdict: 'final', mined: minedAs('expired') }),
  });
  expect(done).toEqual([]);
});

test('a change that another process made before is neither counted nor logged', async () => {
  const { done, lines } = await run({
    young: [blockOf('1')],
    blocks: () => 'gone',
    batches: () => ({ verdict: 'absent' }),
    change: { reverseBatch: async () => false },
  });
  expect([done, lines]).toEqual([[], []]);
});

test('contradictions of blocks and of transactions change nothing and are one line for each page', async () => {
  const { done, lines } = await run({
    young: ['2', '1'].map(blockOf),
    blocks: (id) => (id === '1' ? 'contradicted' : 'gone'),
    batches: () => ({ verdict: 'contradicted' }),
  });
  expect(done).toEqual([]);
  const details = { network: NETWORK, batches: 2, firstBatchId: '1' };
  expect(lines).toEqual([['rpc_endpoints_contradict_batches', details]]);
});

describe('settled batches of a page', () => {
  const ageing = ['1', '2', '3', '4'].map((id) => ageingOf(id));

  test('are final by one statement; one that the statement leaves out is recorded alone', async () => {
    const together: (readonly string[])[] = [];
    const change: Partial<FinalityStore> = {
      recordSettledFinal: async (ids) => {
        together.push(ids);
        return ids.filter((id) => id !== '2');
      },
    };
    const { done } = await run({ ageing, change });
    expect([together, done]).toEqual([[['1', '2', '3']], ['final 2', 'final 4']]);
  });

  test('are recorded each alone where that statement fails, and the failure is noted', async () => {
    const change: Partial<FinalityStore> = { recordSettledFinal: () => Promise.reject(new Error('no connection')) };
    const { done, failures } = await run({ ageing, change });
    expect(done).toEqual(['final 1', 'final 2', 'final 3', 'final 4']);
    expect(failures).toEqual([`finality ${NETWORK}`]);
  });
});

describe('a batch holds up no other', () => {
  const ageing = ['1', '2', '3'].map((id) => ageingOf(id));
  const others = ['final 1', 'final 3'];

  test.each<[string, World]>([
    [
      'that cannot be found on the chain',
      {
        blocks: () => 'unread',
        batches: (id) => {
          if (id === '2') throw new Error('malformed');
          return { verdict: 'final', mined: minedAs('settled') };
        },
      },
    ],
    [
      'that cannot be loaded',
      {
        blocks: (id) => (id === '2' ? 'gone' : 'final'),
        change: { loadRecordedBatch: () => Promise.reject(new Error('no such row')) },
      },
    ],
  ])('%s', async (_, world) => {
    const { done, lines, failures } = await run({ ageing, ...world });
    expect(done).toEqual(others);
    expect(failures).toEqual([`finality ${NETWORK}`]);
    expect(lines).toEqual([['row_skipped', expect.objectContaining({ batchId: '2', transactionId: '0x2' })]]);
  });

  test('whose open items the chain contradicts', async () => {
    const { done, failures } = await run({
      ageing: [ageingOf('1'), ageingOf('2', [item]), ageingOf('3')],
      batches: () => ({ verdict: 'absent' }),
    });
    expect(done).toEqual(others);
    expect(failures).toEqual([`finality ${NETWORK}`]);
  });
});

describe('while no node answers for the transactions of many batches', () => {
  const unreadable = Array.from({ length: 30 }, (_, index) => ageingOf(String(index + 10), [item]));
  const silent = (): never => {
    throw new ChainUnavailable('no receipt');
  };

  test('all other batches are finished, and a reorg is acted on, where blocks are read', async () => {
    const { done, failures } = await run({
      ageing: [...unreadable, ageingOf('40')],
      young: [blockOf('41')],
      pageSize: 50,
      blocks: (id) => (id === '41' ? 'gone' : 'final'),
      batches: (id) => {
        if (id === '41') return { verdict: 'absent' };
        return id === '38' ? { verdict: 'final', mined: minedAs('expired') } : silent();
      },
    });
    expect(done).toEqual(['final 40', 'final 38 expired', 'reversed 41', `counted reversal ${NETWORK}`]);
    expect(failures).toHaveLength(29);
  });

  test('the run fails where only transactions tell', async () => {
    const world: World = { ageing: unreadable, pageSize: 50, newest: 0, blocks: () => 'unread', batches: silent };
    await expect(run(world)).rejects.toThrow(ChainUnavailable);
  });
});

test('a reorg is acted on although the batches at the finalized height make the run fail', async () => {
  const reversed: string[] = [];
  const change: Partial<FinalityStore> = {
    loadAgeingBatches: () => Promise.reject(new Error('not loaded')),
    reverseBatch: async (id) => reversed.push(id) > 0,
  };
  const failed = run({ young: [blockOf('1')], blocks: () => 'gone', batches: () => ({ verdict: 'absent' }), change });
  await expect(failed).rejects.toThrow('not loaded');
  expect(reversed).toEqual(['1']);
});
