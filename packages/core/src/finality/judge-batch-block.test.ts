import { describe, expect, test } from 'vitest';
import type { MinedBatch } from '../lane/lane-chain.ts';
import { type BatchView, judgeBatch, judgeBlock } from './judge-batch-block.ts';
import { heightOfMost, majorityOf } from './quorum.ts';

const batchBlock = { id: 'bat', blockNumber: 10n, blockHash: '0xa' };
const block = (hash: string | undefined, finalizedNumber = 5n) => ({ hash, finalizedNumber });
const minedIn = (blockHash: string, confirmations = 3n): MinedBatch => ({
  batchId: 'bat',
  transactionId: '0x1',
  blockNumber: 10n,
  blockHash,
  confirmations,
  reverted: false,
  gasCostAtomic: 1n,
  feeRecipient: '0xf',
  items: [],
});
const view = (hash: string | undefined, mined?: MinedBatch, finalizedNumber = 5n): BatchView => ({
  hash,
  mined,
  finalizedNumber,
});

describe('a block', () => {
  test.each([
    ['gone', [block('0xb')]],
    ['gone', [block('0xb'), block('0xc')]],
    ['gone', [block('0xb'), block('0xa'), block('0xb')]],
    ['contradicted', [block('0xb'), block('0xa')]],
    ['unknown', [block('0xb'), block(undefined)]],
    ['unknown', [block(undefined), block(undefined)]],
    ['not_final', [block('0xa'), block('0xa')]],
    ['not_final', [block('0xa', 10n), block('0xa', 9n)]],
    ['final', [block('0xa', 10n), block('0xa', 11n), block('0xb', 99n)]],
    ['final', [block('0xa', 10n)]],
    ['contradicted', [block('0xa', 10n), block('0xb', 99n)]],
  ] as const)('is %s', (verdict, views) => {
    expect(judgeBlock(batchBlock, views)).toBe(verdict);
  });
});

describe('a batch', () => {
  test('is absent when two nodes have another block and no receipt', () => {
    expect(judgeBatch(batchBlock, [view('0xb'), view('0xb')])).toEqual({ verdict: 'absent' });
    expect(judgeBatch(batchBlock, [view('0xb'), view('0xa', minedIn('0xa'))])).toEqual({ verdict: 'contradicted' });
    expect(judgeBatch(batchBlock, [view('0xb'), view(undefined)])).toEqual({ verdict: 'contradicted' });
  });

  test('that moved counts the fewest confirmations of the nodes that have it there', () => {
    const moved = [view('0xb', minedIn('0xb', 9n)), view('0xb', minedIn('0xb', 4n))];
    expect(judgeBatch(batchBlock, moved)).toEqual({ verdict: 'moved', mined: minedIn('0xb', 4n) });
  });

  test('is final when two nodes have block and receipt, and both call the block final', () => {
    const here = (finalized: bigint) => view('0xa', minedIn('0xa'), finalized);
    expect(judgeBatch(batchBlock, [here(10n), here(10n)])).toMatchObject({ verdict: 'final' });
    expect(judgeBatch(batchBlock, [here(10n), here(9n)])).toEqual({ verdict: 'not_final' });
  });

  test('is nowhere by a node whose block and receipt do not fit together', () => {
    expect(judgeBatch(batchBlock, [view('0xa')])).toEqual({ verdict: 'contradicted' });
    expect(judgeBatch(batchBlock, [view('0xb', minedIn('0xa'))])).toEqual({ verdict: 'contradicted' });
  });
});

test('a majority is two equal answers, more than of any other kind, or the only answer', () => {
  const winner = (...words: readonly string[]) => majorityOf(words, (text) => text)?.[0];
  expect([winner('a'), winner('a', 'b'), winner('a', 'a', 'b'), winner('a', 'a', 'b', 'b'), winner()]).toEqual([
    'a',
    undefined,
    'a',
    undefined,
    undefined,
  ]);
  expect(majorityOf(['a'], (text) => text, 2)).toBeUndefined();
});

test('the height of most is what two nodes have reached, or the only one', () => {
  expect(heightOfMost([7n])).toBe(7n);
  expect(heightOfMost([7n, 3n])).toBe(3n);
  expect(heightOfMost([99n, 3n, 7n])).toBe(7n);
});
