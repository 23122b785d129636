import { describe, expect, test } from 'vitest';
import { groupCursors, nextSize, planRange } from './plan-range.ts';
import type { SourceKind } from './reader-chain.ts';

const at = (number: bigint, fork = '') => ({ number, hash: `0x${number}${fork}`, timeSeconds: number });
const group = (kind: SourceKind, number: bigint) => ({ kind, at: at(number) });
const CEILINGS = { processor: 120n, token: 110n };

describe('groups of sources', () => {
  test('are of one kind and one block, and those nearest to the head come first', () => {
    const cursors = [
      { address: 'a', kind: 'processor', at: at(100n) },
      { address: 'b', kind: 'token', at: at(100n) },
      { address: 'c', kind: 'processor', at: at(107n) },
      { address: 'd', kind: 'processor', at: at(100n) },
      { address: 'e', kind: 'processor', at: at(100n, 'fork') },
    ] as const;
    expect(groupCursors(cursors).map(({ sources }) => sources.map(({ address }) => address).join(''))).toEqual([
      'c',
      'ad',
      'b',
      'e',
    ]);
    expect(groupCursors([])).toEqual([]);
  });
});

describe('the next range', () => {
  test.each<[string, SourceKind, bigint, readonly (readonly [SourceKind, bigint])[], number, bigint | undefined]>([
    ['is as large as the size', 'processor', 100n, [], 5, 105n],
    ['ends at the ceiling of its kind', 'processor', 118n, [], 5, 120n],
    ['ends at the lower ceiling of tokens', 'token', 108n, [], 5, 110n],
    ['is none at the ceiling', 'processor', 120n, [], 5, undefined],
    ['is none above the ceiling', 'token', 115n, [], 5, undefined],
    ['ends where others of the kind stand', 'processor', 100n, [['processor', 103n]], 10, 103n],
    ['passes those of the other kind', 'processor', 100n, [['token', 103n]], 10, 110n],
    [
      'passes those behind it and itself',
      'processor',
      100n,
      [
        ['processor', 90n],
        ['processor', 100n],
      ],
      10,
      110n,
    ],
    [
      'ends at the nearest ahead',
      'processor',
      100n,
      [
        ['processor', 109n],
        ['processor', 104n],
      ],
      10,
      104n,
    ],
    ['is one block at least', 'processor', 100n, [], 1, 101n],
  ])('%s', (_, kind, from, others, size, to) => {
    const groups = others.map(([other, number]) => group(other, number));
    expect(planRange(group(kind, from), groups, CEILINGS, size)).toEqual(
      to === undefined ? undefined : { from: from + 1n, to },
    );
  });

  test('from any place and size meets the ceiling without a gap', () => {
    for (const size of [1, 3, 7, 100]) {
      let reached = 100n;
      for (let steps = 0; reached < CEILINGS.processor; steps += 1) {
        const range = planRange(group('processor', reached), [], CEILINGS, size);
        expect(range?.from).toBe(reached + 1n);
        reached = range?.to ?? 0n;
        expect(steps).toBeLessThan(21);
      }
      expect(reached).toBe(CEILINGS.processor);
    }
  });
});

describe('the size of the next range', () => {
  const limits = { maxRange: 1_000, manyLogs: 100 };
  test.each<[string, number, number | 'too_large', number]>([
    ['doubles after few logs', 10, 0, 20],
    ['stays where it is right', 10, 80, 10],
    ['is halved after many logs', 10, 101, 5],
    ['is halved after a refusal', 10, 'too_large', 5],
    ['is never below one', 1, 'too_large', 1],
    ['is rounded down', 7, 'too_large', 3],
    ['is never above the limit', 900, 0, 1_000],
  ])('%s', (_, size, logs, next) => {
    expect(nextSize(size, logs, limits)).toBe(next);
  });

  test('comes down to a size that a node accepts, whatever it was', () => {
    for (let accepted = 1; accepted <= 40; accepted += 1) {
      let size = 1_000;
      for (let refusals = 0; size > accepted; refusals += 1) {
        size = nextSize(size, 'too_large', limits);
        expect(refusals).toBeLessThan(11);
      }
      expect(size).toBeGreaterThan(0);
    }
  });
});
