import { expect, test } from 'vitest';
import { queueShareOf, type SharingRelayer } from './queue-share.ts';

const relayer = (address: string, facts: Partial<SharingRelayer> = {}): SharingRelayer => ({
  address,
  duty: 'settle',
  status: 'active',
  condition: 'fine',
  capped: false,
  obstacleMs: null,
  ...facts,
});
const sharesOf = (relayers: readonly SharingRelayer[]) =>
  relayers.map(({ address }) => {
    const share = queueShareOf(address, relayers);
    return share && `${share.index} of ${share.count}`;
  });

test('relayers that can send have each one share, whatever the order of the rows', () => {
  expect(sharesOf([relayer('c'), relayer('a'), relayer('b', { condition: 'low' })])).toEqual([
    '2 of 3',
    '0 of 3',
    '1 of 3',
  ]);
});

test.each<[string, Partial<SharingRelayer>]>([
  ['draining', { status: 'draining' }],
  ['retired', { status: 'retired' }],
  ['out of coins', { condition: 'empty' }],
  ['not allowed', { condition: 'not_allowed' }],
  ['obstructed for long', { obstacleMs: 3_000 }],
  ['at its cap while another is not', { capped: true }],
])('a relayer that is %s has no share, and the others take the whole queue', (_, facts) => {
  expect(sharesOf([relayer('a', facts), relayer('b')])).toEqual([undefined, '0 of 1']);
});

test('a short obstacle takes no share away', () => {
  expect(sharesOf([relayer('a', { obstacleMs: 2_999 }), relayer('b')])).toEqual(['0 of 2', '1 of 2']);
});

test('when every relayer that can send is at its cap, they share the queue', () => {
  const capped = { capped: true };
  expect(sharesOf([relayer('a', capped), relayer('b', capped), relayer('c', { condition: 'empty' })])).toEqual([
    '0 of 2',
    '1 of 2',
    undefined,
  ]);
});

test('when none can send through the processor, those without its role share the queue', () => {
  const roleless = { condition: 'not_allowed' } as const;
  const unable = [relayer('c', { condition: 'empty' }), relayer('d', { obstacleMs: 3_000 })];
  expect(sharesOf([relayer('a', roleless), relayer('b', roleless), ...unable])).toEqual([
    '0 of 2',
    '1 of 2',
    undefined,
    undefined,
  ]);
  expect(sharesOf([relayer('a', { ...roleless, status: 'draining' })])).toEqual([undefined]);
});

test('relayers of another duty have a queue of their own', () => {
  expect(sharesOf([relayer('a'), relayer('b', { duty: 'resolve_stranded' })])).toEqual(['0 of 1', '0 of 1']);
});

test('a relayer without a row has no share', () => {
  expect(queueShareOf('x', [relayer('a')])).toBeUndefined();
});
