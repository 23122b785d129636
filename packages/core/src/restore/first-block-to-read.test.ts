import { expect, test } from 'vitest';
import { firstBlockToRead, type RecordedBlocks } from './first-block-to-read.ts';

const A = { relayer: '0xa', nonce: 7n, block: 40n };
const B = { relayer: '0xb', nonce: 2n, block: 60n };
const recorded: RecordedBlocks = { finalBlock: 50n, firstBlock: 10n, unbroken: [A, B] };
const counts = (a: bigint, b: bigint) =>
  new Map([
    ['0xa', a],
    ['0xb', b],
  ]);

test.each<[string, RecordedBlocks, ReadonlyMap<string, bigint>, bigint | undefined]>([
  ['all nonces are recorded: the newest final block', recorded, counts(8n, 3n), 50n],
  ['a nonce is missing before it: the block before the missing nonce', recorded, counts(9n, 3n), 40n],
  ['a nonce is missing after it: the newest final block', recorded, counts(8n, 4n), 50n],
  ['a relayer is not on chain: it misses nothing', recorded, new Map(), 50n],
  ['nothing is final: the first mined block', { ...recorded, finalBlock: undefined }, counts(8n, 3n), 10n],
  [
    'a gap whose block is not known does not move the block',
    { ...recorded, unbroken: [{ ...A, block: undefined }] },
    counts(9n, 0n),
    50n,
  ],
  [
    'nothing is recorded: nobody knows',
    { finalBlock: undefined, firstBlock: undefined, unbroken: [] },
    counts(9n, 9n),
    undefined,
  ],
])('%s', (_, blocks, chain, first) => {
  expect(firstBlockToRead(blocks, chain)).toBe(first);
});
