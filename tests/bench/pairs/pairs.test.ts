import { expect, test } from 'vitest';
import { comparePairs } from './compare-pairs.ts';
import { withoutOwn } from './run-pairs.ts';

test('medians are those of the ratios within each pair, not the ratio of medians', () => {
  // The machine is twice as slow in the third pair: both sides of it are.
  const pairs = [
    { here: { cpu_ms: 1 }, other: { cpu_ms: 2 } },
    { here: { cpu_ms: 1.2 }, other: { cpu_ms: 2 } },
    { here: { cpu_ms: 4 }, other: { cpu_ms: 5 } },
  ];
  expect(comparePairs(pairs).at(-1)).toBe('| cpu_ms | 1.2 | 2 | 0.6 | 0.5 | 0.8 |');
});

test('a figure that one of the runs lacks, or that is a text, is not compared', () => {
  const lines = comparePairs([{ here: { a: 1, b: 2, c: 'on' }, other: { a: 2, c: 'on' } }]);
  expect(lines.slice(2)).toEqual(['| a | 1 | 2 | 0.5 | 0.5 | 0.5 |']);
});

test('a figure that is 0 has no ratio', () => {
  expect(comparePairs([{ here: { failed: 0 }, other: { failed: 0 } }]).at(-1)).toBe('| failed | 0 | 0 | – | – | – |');
});

test('both checkouts get the options of the bench and not those of the comparison', () => {
  const given = ['--pairs', '5', '--seconds', '3', '--other=../before', '--only', 'ours', '--out', 'raw'];
  expect(withoutOwn(given)).toEqual(['--seconds', '3', '--only', 'ours']);
});
