import { expect, test } from 'vitest';
import { showAmount } from './show-amount.ts';

test('no unit is lost on the way to the eye, and none is made up', () => {
  expect(['4200000', '50000', '1', '1000000', '0', '-37800', '123456789012345678'].map(showAmount)).toEqual([
    '4.20',
    '0.05',
    '0.000001',
    '1.00',
    '0.00',
    '−0.0378',
    '123456789012.345678',
  ]);
});
