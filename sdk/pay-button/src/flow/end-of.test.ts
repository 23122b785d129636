import { SvcPayError } from '@svc-pay/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openPayments } from '../record/open-payments.ts';
import { readSettings } from '../settings/settings.ts';
import type { Stage } from '../stage.ts';
import { endOf, remember } from './end-of.ts';

const moved = fc.constantFrom('no' as const, 'yes' as const, 'unknown' as const);

test('whatever went wrong, nothing is called not charged unless that is known, and never paid', () => {
  fc.assert(
    fc.property(fc.string(), moved, fc.boolean(), (code, moneyMoved, isUnderWay) => {
      const { name } = endOf(new SvcPayError(code, { moneyMoved }), isUnderWay);
      const expected = { no: ['failed', 'ready'], yes: ['mismatched'], unknown: ['unknown'] }[moneyMoved];
      expect(expected).toContain(name);
    }),
  );
  expect(endOf(new Error('a bug'), false)).toEqual({ name: 'unknown', isUnderWay: false });
});

test.each<[Stage['name'], Stage, boolean, boolean]>([
  ['paid', { name: 'paid', transactionId: null }, true, false],
  ['authorized', { name: 'authorized', expiresAt: null }, true, false],
  ['failed', { name: 'failed', code: 'payment_failed' }, false, false],
  ['ready', { name: 'ready' }, false, false],
  ['unknown', { name: 'unknown', isUnderWay: false }, true, true],
  ['mismatched', { name: 'mismatched' }, true, true],
])('%s: remembered where paying again would be wrong', (_, end, withOrder, withoutOrder) => {
  const keeps = (order: string | undefined): boolean => {
    const read = readSettings({ apiUrl: 'https://x.example', publishableKey: 'pk_test_x', usdAmount: '1', order });
    if (!read.ok) throw new Error(read.part);
    const records = openPayments(undefined, () => 0);
    records.save(read.settings.key, { paymentIntentId: 'pi_1', savedAtMs: 0, takenBeforeMs: 0 });
    remember(records, read.settings, end);
    return records.find(read.settings.key) !== undefined;
  };
  expect([keeps('7'), keeps(undefined)]).toEqual([withOrder, withoutOrder]);
});
