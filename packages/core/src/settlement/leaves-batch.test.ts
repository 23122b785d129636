import { expect, test } from 'vitest';
import { statusesIn } from '../transitions.ts';
import { leavesBatch } from './leaves-batch.ts';
import { SETTLEMENT_TRANSITIONS } from './settlement-transitions.ts';

test('only a settlement that is queued again loses its relayer and its batch', () => {
  expect(statusesIn(SETTLEMENT_TRANSITIONS).filter(leavesBatch)).toEqual(['queued']);
});
