import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countRefund } from './count-refund.ts';
import { judgeRecipient, judgeRefund, judgeSigned, leftToRefund, type RefundablePayment } from './judge-refund.ts';
import { hasOwnNonce, refundNonces, type StoredRefund } from './refund.ts';

const WALLET = '0x00000000000000000000000000000000000000aa';
const OTHER = '0x00000000000000000000000000000000000000BB';
const PAYER = '0x00000000000000000000000000000000000000cc';

const PAYMENT: RefundablePayment = {
  accountId: newId('account', 1),
  mode: 'test',
  paymentId: newId('payment', 1),
  intentId: newId('paymentIntent', 1),
  intentCode: 7n,
  network: evmNetwork(84_532),
  asset: '0x00000000000000000000000000000000000000dd',
  tokenShortcode: 'basesepolia_usdc',
  installation: '6f1d9a52-3c07-4f5e-9a41-8f3f2f0c7b11',
  status: 'completed',
  final: true,
  payer: PAYER,
  byContract: false,
  totals: { paidAtomic: 100n, refundedAtomic: 20n, reservedAtomic: 30n },
  dueAtomic: null,
  nextSequence: 3,
  wallet: WALLET,
  wallets: [WALLET, OTHER],
};

describe('a refund', () => {
  test('is of all that is left when no amount is asked, from the wallet that was paid', () => {
    expect(judgeRefund(PAYMENT, {})).toEqual({ ok: true, amountAtomic: 50n, wallet: WALLET });
    expect(judgeRefund(PAYMENT, { amountAtomic: 1n, from: OTHER.toLowerCase() })).toEqual({
      ok: true,
      amountAtomic: 1n,
      wallet: OTHER,
    });
    expect(judgeRefund({ ...PAYMENT, status: 'mismatched' }, {}).ok).toBe(true);
  });

  test.each([
    ['of more than is left', {}, { amountAtomic: 51n }, 'refund_exceeds_paid'],
    ['of nothing', {}, { amountAtomic: 0n }, 'refund_exceeds_paid'],
    ['of less than nothing', {}, { amountAtomic: -1n }, 'refund_exceeds_paid'],
    ['of a payment that is all refunded', { status: 'refunded' }, {}, 'refund_exceeds_paid'],
    ['of a payment that paid nobody', { status: 'failed' }, {}, 'refund_not_possible'],
    ['of a payment under way', { status: 'pending' }, {}, 'refund_not_possible'],
    ['of a payment that a reorg may take back', { final: false }, {}, 'refund_payment_not_final'],
    ['from the wallet of a stranger', {}, { from: PAYER }, 'refund_wallet_unknown'],
    ['of a payment whose payout is gone', { wallet: null }, {}, 'refund_wallet_unknown'],
  ] as const)('%s is refused', (_name, change, request, code) => {
    expect(judgeRefund({ ...PAYMENT, ...change }, request)).toEqual({ ok: false, code });
  });

  test('that a relayer pays for is a hundredth of what was paid, or all that is left, and one of twenty', () => {
    const totals = { paidAtomic: 1_001n, refundedAtomic: 0n, reservedAtomic: 0n };
    const dueAtomic = null;
    expect(judgeSigned({ totals, dueAtomic, nextSequence: 20 }, 11n)).toBeUndefined();
    expect(judgeSigned({ totals, dueAtomic, nextSequence: 20 }, 10n)).toBe('refund_too_small');
    expect(judgeSigned({ totals, dueAtomic, nextSequence: 21 }, 1_001n)).toBe('refund_signatures_used_up');
    const nearlyAll = { ...totals, refundedAtomic: 900n, reservedAtomic: 100n };
    expect(judgeSigned({ totals: nearlyAll, dueAtomic, nextSequence: 2 }, 1n)).toBeUndefined();
  });

  test('that a relayer pays for may be all that the policy still gives back, and no grain of that', () => {
    const judged = (amountAtomic: bigint, refundedAtomic = 0n, reservedAtomic = 0n) =>
      judgeSigned(
        { totals: { paidAtomic: 10_050n, refundedAtomic, reservedAtomic }, dueAtomic: 50n, nextSequence: 1 },
        amountAtomic,
      );
    expect(judged(50n)).toBeUndefined();
    expect(judged(49n)).toBe('refund_too_small');
    expect(judged(20n, 20n, 10n)).toBeUndefined();
    expect(judged(19n, 20n, 10n)).toBe('refund_too_small');
    expect(judged(100n, 20n, 30n), 'nothing is due any more').toBe('refund_too_small');
    expect(judged(101n, 200n)).toBeUndefined();
  });

  test('goes to the payer, and to another address only where the payer cannot receive it', () => {
    expect(judgeRecipient(PAYMENT, {}, true)).toEqual({ ok: true, recipient: PAYER });
    expect(judgeRecipient(PAYMENT, { refundTo: PAYER.toUpperCase().replace('0X', '0x') }, true).ok).toBe(true);
    expect(judgeRecipient(PAYMENT, { refundTo: OTHER }, true)).toEqual({ ok: false, code: 'refund_to_not_needed' });
    expect(judgeRecipient(PAYMENT, {}, false)).toEqual({ ok: false, code: 'refund_recipient_needed' });
    expect(judgeRecipient(PAYMENT, { refundTo: OTHER }, false)).toEqual({ ok: true, recipient: OTHER });
    expect(judgeRecipient({ payer: null }, {}, true)).toEqual({ ok: false, code: 'refund_recipient_needed' });
  });
});

describe('the totals of a payment', () => {
  const totals = { paidAtomic: 100n, refundedAtomic: 20n, reservedAtomic: 50n };

  test('take a proven refund from what it had reserved', () => {
    expect(countRefund(totals, { kind: 'authorization', reservedAtomic: 50n }, 50n)).toEqual({
      totals: { paidAtomic: 100n, refundedAtomic: 70n, reservedAtomic: 0n },
      countedAtomic: 50n,
    });
  });

  test('count at most what is left where the wallet gave back more than the refund was for', () => {
    expect(countRefund(totals, { kind: 'authorization', reservedAtomic: 10n }, 90n)).toEqual({
      totals: { paidAtomic: 100n, refundedAtomic: 60n, reservedAtomic: 40n },
      countedAtomic: 40n,
    });
  });

  test('do not count a reported transfer of more than is left', () => {
    expect(countRefund(totals, { kind: 'reported', reservedAtomic: 50n }, 81n)).toBeUndefined();
    expect(countRefund(totals, { kind: 'reported', reservedAtomic: 50n }, 80n)?.countedAtomic).toBe(80n);
  });

  test('never exceed what was paid, whatever the chain shows', () => {
    const amount = fc.bigInt(0n, 1_000n);
    const kind = fc.constantFrom('authorization' as const, 'reported' as const);
    fc.assert(
      fc.property(amount, amount, amount, amount, amount, kind, (paid, refunded, others, own, moved, of) => {
        const before = { paidAtomic: paid, refundedAtomic: refunded, reservedAtomic: others + own };
        fc.pre(leftToRefund(before) >= 0n);
        const counted = countRefund(before, { kind: of, reservedAtomic: own }, moved);
        if (counted === undefined) return;
        expect(leftToRefund(counted.totals)).toBeGreaterThanOrEqual(0n);
        expect(counted.totals.reservedAtomic).toBe(others);
      }),
    );
  });
});

test('only the nonce that its terms give is the own nonce of a refund', () => {
  const owner = { mode: PAYMENT.mode, network: PAYMENT.network, asset: PAYMENT.asset, paymentId: PAYMENT.paymentId };
  const [first, second] = refundNonces(PAYMENT.installation, { ...owner, wallet: WALLET }, 3, 2);
  expect([first?.sequence, second?.sequence]).toEqual([3, 4]);
  const refund = { ...owner, wallet: WALLET, sequence: 3, nonce: first?.nonce ?? null } as StoredRefund;
  expect(hasOwnNonce(PAYMENT.installation, refund)).toBe(true);
  expect(hasOwnNonce(PAYMENT.installation, { ...refund, sequence: 4 })).toBe(false);
  expect(hasOwnNonce(PAYMENT.installation, { ...refund, wallet: OTHER })).toBe(false);
  expect(hasOwnNonce(PAYMENT.installation, { ...refund, nonce: null })).toBe(false);
});
