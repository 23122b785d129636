import { expect, test } from 'vitest';
import { findFork } from './find-fork.ts';

const block = (number: bigint, hash: string) => ({ number, hash, timeSeconds: number });
const passed = [block(9n, 'a9'), block(8n, 'a8'), block(5n, 'a5')];

test.each<[string, readonly (string | undefined)[], bigint | undefined]>([
  ['the newest that is still there', ['b9', 'a8', 'a5'], 8n],
  ['the first of all where none is gone', ['a9', 'a8', 'a5'], 9n],
  ['an older one where nodes do not agree on a newer', ['b9', undefined, 'a5'], 5n],
  ['none where all are gone', ['b9', 'b8', 'b5'], undefined],
  ['none where nothing is known', [], undefined],
])('a reorg began behind %s', (_, hashes, number) => {
  const onChain = hashes.map((hash, index) =>
    hash === undefined ? undefined : block(passed[index]?.number ?? 0n, hash),
  );
  expect(findFork(passed, onChain)?.number).toBe(number);
});

test('a block of another height is not the one that was passed', () => {
  expect(findFork([block(9n, 'a9')], [block(10n, 'a9')])).toBeUndefined();
});
