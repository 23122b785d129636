import { atomicAmount, basisPoints, breakDown, payoutTerms } from '@svc-pay/money';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LegTerms, type MovedBalance, measurePayment, payerOfMovement } from './token-movement.ts';

const TERMS: LegTerms = {
  mint: 'coin',
  shares: { merchant: 'shop', feeBps: basisPoints(100), splits: [{ to: 'partner', bps: basisPoints(1_000) }] },
  feeRecipient: 'platform',
};
const change = (owner: string, deltaAtomic: bigint, more: Partial<MovedBalance> = {}): MovedBalance => ({
  mint: 'coin',
  owner,
  deltaAtomic,
  isAssociated: true,
  hasSigned: false,
  ...more,
});
const paid = (...changes: readonly MovedBalance[]) => measurePayment({ changes }, TERMS, 1_000n);
const EXACT = [change('shop', 890n), change('partner', 100n), change('platform', 10n), change('payer', -1_000n)];

describe('of a payout with a fee of 1 % and a split of 10 %', () => {
  test.each<[string, readonly MovedBalance[], bigint, bigint]>([
    ['every share in full', EXACT, 1_000n, 0n],
    ['twice every share', EXACT.map((one) => ({ ...one, deltaAtomic: one.deltaAtomic * 2n })), 2_000n, 0n],
    ['half of every share', EXACT.map((one) => ({ ...one, deltaAtomic: one.deltaAtomic / 2n })), 500n, 0n],
    ['all of it to the merchant, who keeps the shares of the others', [change('shop', 1_000n)], 9n, 991n],
    ['nothing to the platform', [change('shop', 890n), change('partner', 100n)], 99n, 891n],
    ['half to the partner', [change('shop', 890n), change('partner', 50n), change('platform', 10n)], 509n, 441n],
    ['more to the merchant alone', [...EXACT.slice(1), change('shop', 5_000n)], 1_009n, 4_101n],
    ['another token', EXACT.map((one) => ({ ...one, mint: 'dust' })), 0n, 0n],
    ['accounts that are not the recipients’ own', EXACT.map((one) => ({ ...one, isAssociated: false })), 0n, 0n],
    ['the merchant pays', [change('shop', -10n), change('partner', 100n), change('platform', 10n)], 0n, 110n],
    ['nothing', [], 0n, 0n],
  ])('%s', (_, changes, paidAtomic, surplusAtomic) => {
    expect(paid(...changes)).toEqual({ paidAtomic, surplusAtomic });
  });
});

test('of any payout, the shares of an amount pay that amount, and what is measured was received', () => {
  const bps = fc.integer({ min: 0, max: 2_000 });
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 12n }),
      bps,
      fc.array(fc.integer({ min: 1, max: 2_000 }), { maxLength: 3 }),
      fc.array(fc.bigInt({ min: -1_000n, max: 1_000n }), { minLength: 5, maxLength: 5 }),
      (asked, feeBps, splitBps, noise) => {
        const splits = splitBps.map((share, index) => ({ to: `split${index}`, bps: basisPoints(share) }));
        const made = payoutTerms({ feeBps, splits });
        if (!made.ok) return;
        const terms = { ...TERMS, shares: { merchant: 'shop', feeBps: basisPoints(feeBps), splits } };
        const broken = breakDown(atomicAmount(asked), atomicAmount(asked), made.terms);
        if (!broken.ok) throw new Error(broken.code);
        const { merchantAtomic, feeAtomic, splits: parts } = broken.breakdown;
        const exact = [
          change('shop', merchantAtomic),
          change('platform', feeAtomic),
          ...parts.map(({ to, amountAtomic }) => change(to, amountAtomic)),
        ];
        expect(measurePayment({ changes: exact }, terms, asked)).toEqual({ paidAtomic: asked, surplusAtomic: 0n });
        const other = exact.map((one, index) => change(one.owner, one.deltaAtomic + (noise[index] ?? 0n)));
        const { paidAtomic, surplusAtomic } = measurePayment({ changes: other }, terms, asked);
        const received = other.reduce((sum, { deltaAtomic }) => sum + (deltaAtomic > 0n ? deltaAtomic : 0n), 0n);
        expect(paidAtomic + surplusAtomic).toBe(received);
        if (paidAtomic === 0n) return;
        const again = breakDown(atomicAmount(paidAtomic), atomicAmount(paidAtomic), made.terms);
        if (!again.ok) throw new Error(again.code);
        const got = new Map(other.map(({ owner, deltaAtomic }) => [owner, deltaAtomic > 0n ? deltaAtomic : 0n]));
        expect(again.breakdown.merchantAtomic <= (got.get('shop') ?? 0n)).toBe(true);
        expect(again.breakdown.feeAtomic <= (got.get('platform') ?? 0n)).toBe(true);
        for (const { to, amountAtomic } of again.breakdown.splits)
          expect(amountAtomic <= (got.get(to) ?? 0n)).toBe(true);
      },
    ),
  );
});

describe('the payer', () => {
  const payerOf = (...changes: readonly MovedBalance[]) => payerOfMovement({ changes, feePayer: 'feePayer' }, 'coin');

  test('is the owner of the account that was debited, who signed', () => {
    expect(payerOf(...EXACT)).toBe('payer');
    expect(payerOf(change('pool', -5_000n), change('payer', -1_000n, { hasSigned: true }))).toBe('payer');
  });

  test('of several is who was debited most, whatever other tokens moved', () => {
    expect(payerOf(change('one', -400n), change('two', -600n), change('three', -900n, { mint: 'dust' }))).toBe('two');
  });

  test('of money that nobody was debited for is who paid the fee', () => {
    expect(payerOf(change('shop', 1_000n))).toBe('feePayer');
  });
});
