import { expect, test } from 'vitest';
import { COMPARED_AFTER_MS, compareWithLanes, differingFields } from './compare-with-lanes.ts';
import type { ProcessorLog } from './money-log.ts';

const LATE = COMPARED_AFTER_MS;
const EARLY = COMPARED_AFTER_MS - 1;

test.each([
  ['every payment was read', { completed: 3, logsRead: 3, waiting: 0, finalForMs: 0 }, 'agrees'],
  ['a batch that completed nothing has no logs', { completed: 0, logsRead: 0, waiting: 0, finalForMs: 0 }, 'agrees'],
  ['one is not read yet', { completed: 3, logsRead: 2, waiting: 0, finalForMs: EARLY }, 'waits'],
  ['one is read and not applied', { completed: 3, logsRead: 2, waiting: 1, finalForMs: EARLY }, 'waits'],
  ['one is read and waits for long', { completed: 3, logsRead: 2, waiting: 1, finalForMs: LATE }, 'waits'],
  ['the lane has not recorded one', { completed: 2, logsRead: 2, waiting: 1, finalForMs: LATE }, 'waits'],
  ['one was never read', { completed: 3, logsRead: 2, waiting: 0, finalForMs: LATE }, 'missing'],
  ['two were never read, and one waits', { completed: 3, logsRead: 0, waiting: 1, finalForMs: LATE }, 'missing'],
  ['no log of a completed batch exists', { completed: 1, logsRead: 0, waiting: 0, finalForMs: LATE }, 'missing'],
  ['one more was read, for now', { completed: 2, logsRead: 3, waiting: 0, finalForMs: EARLY }, 'waits'],
  ['one more was read than recorded', { completed: 2, logsRead: 3, waiting: 0, finalForMs: LATE }, 'surplus'],
  ['one more was read, and one waits', { completed: 2, logsRead: 3, waiting: 1, finalForMs: LATE }, 'surplus'],
] as const)('%s', (_, reading, expected) => {
  expect(compareWithLanes(reading)).toBe(expected);
});

const LOG = { intentCode: 7n, payer: '0xaa', asset: '0x70', amountAtomic: 5n } as ProcessorLog;
const RECORDED = { intentCode: 7n, payer: '0xAA', asset: '0x70', paidAtomic: 5n };

test.each([
  ['says the same', {}, []],
  ['is of another intent', { intentCode: 8n }, ['intentCode']],
  ['is of another payer', { payer: '0xbb' }, ['payer']],
  ['is of another token', { asset: '0x71' }, ['asset']],
  ['is of another amount', { paidAtomic: 6n }, ['amount']],
  [
    'is another in everything',
    { intentCode: 8n, payer: '0x', asset: '0x', paidAtomic: 0n },
    ['intentCode', 'payer', 'asset', 'amount'],
  ],
  ['is of a payment whose payer was erased', { payer: null, intentCode: null, paidAtomic: null }, []],
] as const)('a log that %s', (_, change, fields) => {
  expect(differingFields(LOG, { ...RECORDED, ...change })).toEqual(fields);
});
