import { expect, test } from 'vitest';
import { readReport } from './test-report.ts';

const unit = (status: string, reason: string | null) => ({ status, reason, kind: { Unit: { gas: 1 } } });

test('tests are counted across contracts and failures are named with their reason', () => {
  const json = JSON.stringify({
    'a.t.sol:A': { test_results: { 'test_one()': unit('Success', null), 'test_two()': unit('Failure', '1 != 2') } },
    'c.t.sol:C': { test_results: { 'test_withoutItsInput()': unit('Skipped', null) } },
    'b.t.sol:B': {
      test_results: {
        'invariant_x()': { status: 'Success', reason: null, kind: { Invariant: { calls: 11_000 } } },
        'testFuzz_x()': { status: 'Success', reason: null, kind: { Fuzz: { runs: 1_000 } } },
        'testFuzz_y()': { status: 'Success', reason: null, kind: { Fuzz: { runs: 900 } } },
      },
    },
  });
  const report = readReport(`Compiling 3 files\n{"event":"pulse"}\n${json}\n`);
  expect(report).toEqual({
    passed: 4,
    failures: ['a.t.sol:A test_two(): 1 != 2'],
    invariantCalls: 11_000,
    fewestFuzzRuns: 900,
  });
});

test('output without a report counts nothing', () => {
  expect(readReport('Error: Compiler run failed').passed).toBe(0);
});
