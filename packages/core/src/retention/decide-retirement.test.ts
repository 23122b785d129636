import { expect, test } from 'vitest';
import { type ArchiveChoice, decideRetirement, type ExpiredMonth } from './decide-retirement.ts';

const rows: ExpiredMonth = { hasRows: true, hasUnfinished: false };
const unfinished: ExpiredMonth = { hasRows: true, hasUnfinished: true };
const empty: ExpiredMonth = { hasRows: false, hasUnfinished: false };

test.each<[string, ExpiredMonth, ArchiveChoice, object]>([
  ['rows and a directory: archived', rows, 'directory', { next: 'archive' }],
  ['rows that the operator wants no copy of: dropped', rows, 'off', { next: 'drop' }],
  ['rows and no word of the operator: they stay', rows, 'unset', { next: 'wait', reason: 'archive_not_set' }],
  ['no rows: dropped, no copy is needed', empty, 'unset', { next: 'drop' }],
  ['a row with work to do: it stays', unfinished, 'directory', { next: 'wait', reason: 'unfinished_rows' }],
  [
    'a row with work to do: it stays also without copies',
    unfinished,
    'off',
    { next: 'wait', reason: 'unfinished_rows' },
  ],
])('%s', (_, month, archive, expected) => {
  expect(decideRetirement(month, archive)).toEqual(expected);
});
