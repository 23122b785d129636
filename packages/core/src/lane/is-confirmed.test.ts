import { expect, test } from 'vitest';
import { isConfirmedBatch } from './is-confirmed.ts';
import type { LaneItem } from './lane.ts';
import type { MinedBatch } from './lane-chain.ts';

const isConfirmed = (confirmations: bigint, ...wanted: readonly number[]) =>
  isConfirmedBatch(
    { confirmations } as MinedBatch,
    wanted.map((blocks) => ({ confirmations: blocks }) as LaneItem),
  );

test('a batch is confirmed with the block that its most demanding payment waits for, not before', () => {
  expect(isConfirmed(1n, 1, 3, 2)).toBe(false);
  expect(isConfirmed(2n, 1, 3, 2)).toBe(false);
  expect(isConfirmed(3n, 1, 3, 2)).toBe(true);
  expect(isConfirmed(4n, 1, 3, 2)).toBe(true);
});
