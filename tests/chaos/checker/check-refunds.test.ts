import { expect, test } from 'vitest';
import type { CaseFile } from './case-file.ts';
import { checkRefunds } from './check-refunds.ts';
import type { RefundTold } from './run-evidence.ts';

const COMPLETED_MS = 5_000;

/** What a merchant was told of a payment, of which a refund gave back all if `status` is `refunded`. */
function violations(status: 'completed' | 'refunded', told: Pick<RefundTold, 'call' | 'askedAt' | 'error'>) {
  const payment = { id: 'pay_1', intent: 'pi_1', payer: '0x1', status, paid: '100', refunded: '0', place: undefined };
  const refund = { id: 're_1', intent: 'pi_1', payment: 'pay_1', status: 'failed', completedMs: COMPLETED_MS };
  const file = {
    run: { refundsSigned: [], refundsGivenUp: [], refundsTold: [{ payment: 'pay_1', http: 422, ...told }] },
    record: { refunds: [refund], payments: [], refundTotals: [] },
    paymentOf: new Map([['pay_1', payment]]),
    reversedPayments: new Set(),
  };
  const chain = { signed: [], transferAt: () => undefined, excuseOf: () => 'its transfer was of another payment' };
  return checkRefunds(file as unknown as CaseFile, chain).map(({ text }) => text);
}

const TOO_SMALL = { call: 'again', error: 'refund_too_small' } as const;

test('a grain of a payment that nothing was given back of is too small', () => {
  expect(violations('completed', { ...TOO_SMALL, askedAt: COMPLETED_MS + 1 })).toEqual([]);
});

test('of a payment that was given back whole nothing is left, not even a grain', () => {
  expect(violations('refunded', { ...TOO_SMALL, askedAt: COMPLETED_MS + 1 })).toEqual([
    'pay_1, again: was told 422 refund_too_small',
  ]);
  expect(violations('refunded', { ...TOO_SMALL, askedAt: COMPLETED_MS - 1 })).toEqual([]);
});

test('a refund of all that is left is never too small', () => {
  expect(violations('completed', { ...TOO_SMALL, call: 'create', askedAt: COMPLETED_MS + 1 })).toEqual([
    'pay_1, create: was told 422 refund_too_small',
  ]);
});
