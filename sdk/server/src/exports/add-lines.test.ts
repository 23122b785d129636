import type { StatementLine } from '@svc-pay/protocol/merchant';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addLines } from './add-lines.ts';

const line = (net: string, more: Partial<StatementLine> = {}): StatementLine => ({
  chain: 'eip155:8453',
  tokenShortcode: 'base_usdc',
  asset: '0x1',
  decimals: 6,
  gasToken: 'ETH',
  gasDecimals: 18,
  payments: 1,
  reversals: 0,
  refunds: 0,
  refunded: '0',
  gross: net,
  fee: '0',
  splits: '0',
  refund: '0',
  escrow: '0',
  net,
  gas: '0.000000000000000001',
  ...more,
});

test('parts of a day are added without a rounding, negative ones too', () => {
  const whole = addLines([line('-0.000001')], [line('9007199254740993.5')]);
  expect(whole).toMatchObject([{ net: '9007199254740993.499999', payments: 2, gas: '0.000000000000000002' }]);
  expect(addLines([], [line('1', { decimals: 0 })])).toMatchObject([{ net: '1' }]);
  expect(addLines([line('1', { decimals: 0 })], [line('-2', { decimals: 0 })])).toMatchObject([{ net: '-1' }]);
});

test('tokens and chains are never mixed', () => {
  const other = line('2', { asset: '0x2' });
  const elsewhere = line('3', { chain: 'eip155:1' });
  expect(addLines([line('1')], [other, elsewhere]).map(({ net }) => net)).toEqual(['1', '2', '3']);
});

test('the sum does not depend on how a day was cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), { minLength: 1, maxLength: 8 }),
      (amounts) => {
        const sum = amounts.reduce((total, amount) => total + amount, 0n);
        const lines = amounts.map((amount) => line(amount.toString(), { decimals: 0 }));
        const added = lines.reduce<readonly StatementLine[]>((before, part) => addLines(before, [part]), []);
        expect(added[0]?.net).toBe(sum.toString());
      },
    ),
  );
});
