import { expect, test } from 'vitest';
import { createSampleChain, createSampleNode } from '../testing/sample-reader-chain.ts';
import { findBlockBefore } from './find-block-before.ts';
import type { ReaderNode } from './reader-chain.ts';

const chain = createSampleChain(1_000);
/** The block of number n has the time 1,000 + n. */
const find = (timeSeconds: bigint, highest = 999n) =>
  findBlockBefore([createSampleNode(chain), createSampleNode(chain)], timeSeconds, highest);

test('the last block before a time is found, wherever it is', async () => {
  for (let number = 1n; number < 999n; number += 7n) expect(await find(1_001n + number)).toBe(number);
});

test.each([
  ['before the chain begins', 5n, 999n, 0n],
  ['after its last block', 9_000n, 999n, 999n],
  ['after the highest that may be named', 1_900n, 40n, 40n],
  ['of a chain with one block', 9_000n, 0n, 0n],
])('a time %s', async (_, timeSeconds, highest, expected) => {
  expect(await find(timeSeconds, highest)).toBe(expected);
});

test('without a quorum nothing is found', async () => {
  const lagging = createSampleNode(chain);
  lagging.lag = 900;
  expect(await findBlockBefore([createSampleNode(chain), lagging], 1_500n, 999n)).toBeUndefined();
});

test('blocks far below are not needed: nodes may have forgotten them', async () => {
  const { readBlocks, ...rest } = createSampleNode(chain);
  const node: ReaderNode = {
    ...rest,
    readBlocks: async (numbers) =>
      (await readBlocks(numbers)).map((block) => (block !== undefined && block.number < 700n ? undefined : block)),
  };
  expect(await findBlockBefore([node], 1_991n, 999n)).toBe(990n);
  expect(await findBlockBefore([node], 1_100n, 999n)).toBeUndefined();
});

test('a long chain takes few questions', async () => {
  const asked: bigint[] = [];
  const node: ReaderNode = {
    ...createSampleNode(chain),
    readBlocks: async (numbers) => {
      asked.push(...numbers);
      return numbers.map((number) => ({ number, hash: `0x${number}`, timeSeconds: number }));
    },
  };
  expect(await findBlockBefore([node], 123_456_789n, 400_000_000n)).toBe(123_456_788n);
  expect(asked.length).toBeLessThan(100);
});
