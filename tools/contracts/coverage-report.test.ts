import { expect, test } from 'vitest';
import { readLcov } from './coverage-report.ts';

test('only the folder counts, and what was missed is named', () => {
  const lcov = [
    'SF:contracts/evm/src/A.sol',
    'DA:3,7',
    'DA:4,0',
    'BRDA:5,0,0,2',
    'BRDA:5,0,1,-',
    'end_of_record',
    'SF:contracts/evm/test/B.sol',
    'DA:1,0',
    'end_of_record',
  ].join('\n');
  expect(readLcov(lcov, 'contracts/evm/src/')).toEqual({
    linesHit: 1,
    linesFound: 2,
    branchesHit: 1,
    branchesFound: 2,
    missed: ['contracts/evm/src/A.sol:4', 'contracts/evm/src/A.sol:5 (branch 1)'],
  });
});
