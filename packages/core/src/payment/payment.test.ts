import { atomicAmount, breakDown, payoutTerms, usd } from '@svc-pay/money';
import { evmNetwork, type NetworkId, parseNetwork, payment as paymentSchema } from '@svc-pay/protocol';
import { ERRORS } from '@svc-pay/protocol/errors';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { sampleIntent, samplePayment } from '../testing/samples.ts';
import { useExplorers } from '../token/explorer.ts';
import { sharesOf } from './apply-payment-result.ts';
import { paymentView, type StoredPayment } from './payment.ts';

const show = (change: Partial<StoredPayment>, viewer: 'secret' | 'publishable' = 'secret') =>
  paymentView(samplePayment(change), sampleIntent(), viewer);
const EARNINGS = ['feeAmount', 'splits', 'netAmount'];

afterEach(() => useExplorers(new Map()));

test('fee, splits and net amount are the paid amount, to the unit', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 2n ** 128n }),
      fc.bigInt({ min: 0n, max: 2n ** 64n }),
      fc.integer({ min: 0, max: 1_000 }),
      fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 4 }),
      (settled, unused, feeBps, shares) => {
        const splits = shares.map((bps, index) => ({ to: `0x${String(index).repeat(40)}`, bps }));
        const terms = payoutTerms({ feeBps, splits });
        if (!terms.ok) return;
        const broken = breakDown(atomicAmount(settled), atomicAmount(settled + unused), terms.terms);
        if (!broken.ok) throw new Error(broken.code);
        const shown = show({
          status: 'completed',
          amount: atomicAmount(settled),
          paidAmount: atomicAmount(settled),
          ...sharesOf(broken.breakdown),
        });
        const parts = [shown.feeAmount, shown.netAmount, ...(shown.splits ?? []).map(({ amount }) => amount)];
        expect(parts.reduce((sum, part) => sum + BigInt(part ?? -1), 0n)).toBe(settled);
        expect(shown.returnedAmount).toBe(unused.toString());
        expect(shown.refundedAmount).toBe('0');
        expect(paymentSchema.parse(shown)).toEqual(shown);
      },
    ),
  );
});

describe('a publishable key', () => {
  test.each(['pending', 'completed', 'failed'] as const)('does not see what is earned by a %s payment', (status) => {
    const shown = show(
      { status, feeAmount: atomicAmount(1n), splits: [], paidAmount: atomicAmount(9n) },
      'publishable',
    );
    for (const field of EARNINGS) expect(shown).not.toHaveProperty(field);
    expect(shown).toMatchObject({ payer: `0x${'aa'.repeat(20)}`, amountUsd: '1.5', rate: '1' });
  });
});

test('what is not known yet is null, and nothing of it is guessed', () => {
  expect(show({})).toMatchObject({
    feeAmount: null,
    splits: null,
    netAmount: null,
    returnedAmount: null,
    refundedAmount: null,
    failureCode: null,
    failureMessage: null,
    explorerUrl: null,
  });
});

test.each(['failed', 'canceled'] as const)('a %s payment paid nobody', (status) => {
  const nothing = { returnedAmount: '0', refundedAmount: '0' };
  expect(show({ status })).toMatchObject({ feeAmount: '0', splits: [], netAmount: '0', ...nothing });
});

test('a payment says what its refunds gave back, apart from what went back of its cap', () => {
  const paid = { status: 'completed', paidAmount: atomicAmount(100n), returnedAmount: atomicAmount(7n) } as const;
  expect(show({ ...paid, refundedAmount: atomicAmount(40n) })).toMatchObject({
    paidAmount: '100',
    returnedAmount: '7',
    refundedAmount: '40',
  });
});

test('a row of the release before, without splits, has no net amount: it might be wrong', () => {
  const row = {
    status: 'completed',
    paidAmount: atomicAmount(100n),
    feeAmount: atomicAmount(1n),
    splits: null,
  } as const;
  expect(show(row)).toMatchObject({ feeAmount: '1', splits: null, netAmount: null });
});

test('a failure has its code and the sentence of the catalogue; of an unknown code only the code', () => {
  const failed = { status: 'failed', failureCode: 'insufficient_funds' } as const;
  const { message } = ERRORS.insufficient_funds;
  expect(show(failed)).toMatchObject({ failureCode: 'insufficient_funds', failureMessage: message });
  expect(show({ ...failed, failureCode: 'of_old' })).toMatchObject({ failureCode: 'of_old', failureMessage: null });
});

describe('dollars', () => {
  const vol = { tokenShortcode: 'anvil_vol', network: evmNetwork(31_337), amount: atomicAmount(10n ** 18n / 3n) };

  test('are the amount at the stored rate, rounded down to a millionth', () => {
    expect(show({ ...vol, usdPerToken: usd(2_500_000_000_000_000_000n) })).toMatchObject({
      decimals: 18,
      rate: '2.5',
      amountUsd: '0.833333',
    });
  });
  test('of a token with a price are unknown where no rate was stored', () => {
    expect(show({ ...vol, usdPerToken: null })).toMatchObject({ rate: null, amountUsd: null });
  });
  test('of a token that is one dollar are known in any case', () => {
    expect(show({ usdPerToken: null })).toMatchObject({ rate: '1', amountUsd: '1.5' });
  });
  test('beyond all dollars are not told', () => {
    expect(show({ amount: atomicAmount(2n ** 255n) }).amountUsd).toBeNull();
  });
});

test.each([
  ['eip155:84532', 'eip155:84532'],
  ['solana:mainnet', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
])('the chain of %s is named as in CAIP-2', (network, chain) => {
  expect(show({ network: parseNetwork(network) as NetworkId }).chain).toBe(chain);
});

test('the explorer is that of the payment’s network, and its address can’t be left by a transaction id', () => {
  useExplorers(new Map([[evmNetwork(84_532), 'https://explorer.example/tx/{transactionId}#logs']]));
  expect(show({ transactionId: '0xab' }).explorerUrl).toBe('https://explorer.example/tx/0xab#logs');
  expect(show({ transactionId: '../x?y' }).explorerUrl).toBe('https://explorer.example/tx/..%2Fx%3Fy#logs');
  expect(show({ transactionId: '0xab', network: evmNetwork(1) }).explorerUrl).toBeNull();
  expect(show({}).explorerUrl).toBeNull();
});
