import { expect, test } from 'vitest';
import { createFindings } from './findings.ts';

test('every difference is counted, and only as many are named as were asked for', () => {
  const findings = createFindings('eip155:1', ['gas', 'nonces'], 2);
  findings.looked('gas', 5);
  for (const id of ['a', 'b', 'c']) findings.differs('gas', [id], 'off');
  expect(findings.lines()).toEqual([
    {
      check: 'gas',
      network: 'eip155:1',
      looked: 5,
      differing: 3,
      differences: [
        { about: ['a'], message: 'off' },
        { about: ['b'], message: 'off' },
      ],
      notes: [],
    },
    { check: 'nonces', network: 'eip155:1', looked: 0, differing: 0, differences: [], notes: [] },
  ]);
});

test('a check that was not asked for is a bug of the caller, not a silent success', () => {
  expect(() => createFindings(null, ['gas'], 2).differs('events', [], 'x')).toThrow(/not checked here/);
});
