import { atomicAmount, basisPoints, parseRate, token, usdMicros } from '@svc-pay/money';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AmountSituation, type AmountTerms, judgeAmount, type PaidAmount } from './judge-amount.ts';
import { amountTerms, DEFAULT_MISMATCH_POLICY, MISMATCH_HANDLINGS } from './mismatch-policy.ts';

const TERMS: AmountTerms = {
  askedAtomic: 1_000n,
  minimumAtomic: 0n,
  toleranceAtomic: 0n,
  over: 'refund',
  under: 'hold',
};
const judge = (paid: Partial<PaidAmount>, terms: Partial<AmountTerms> = {}) =>
  judgeAmount({ ...TERMS, ...terms }, { paidAtomic: 1_000n, earlierAtomic: 0n, situation: 'payable', ...paid });

const complete = (paidTotalAtomic: bigint, refundDueAtomic: bigint | null = null) => ({
  outcome: 'complete',
  paidTotalAtomic,
  refundDueAtomic,
});
const aside = (refundDueAtomic: bigint | null) => ({ outcome: 'aside', refundDueAtomic });
const part = { outcome: 'part' };
const held = { outcome: 'held' };
const unattributed = { outcome: 'unattributed', reason: 'below_minimum' };

describe('a payable intent of 1000', () => {
  test.each<[string, bigint, bigint, Partial<AmountTerms>, object]>([
    ['the asked amount', 0n, 1_000n, {}, complete(1_000n)],
    // Over.
    ['more, where the surplus is due back', 0n, 1_200n, {}, complete(1_200n, 200n)],
    ['more, where more is accepted', 0n, 1_200n, { over: 'accept' }, complete(1_200n)],
    ['more, where more is held', 0n, 1_200n, { over: 'hold' }, held],
    ['more, within the tolerance', 0n, 1_010n, { toleranceAtomic: 10n }, complete(1_010n)],
    ['more, one unit above the tolerance', 0n, 1_011n, { toleranceAtomic: 10n }, complete(1_011n, 11n)],
    // Under.
    ['less, where less is held', 0n, 400n, {}, part],
    ['less, where less is accepted', 0n, 400n, { under: 'accept' }, complete(400n)],
    ['less, where less is due back', 0n, 400n, { under: 'refund' }, aside(400n)],
    ['less, within the tolerance', 0n, 990n, { toleranceAtomic: 10n }, complete(990n)],
    ['less, one unit below the tolerance', 0n, 989n, { toleranceAtomic: 10n }, part],
    // A tolerance above a tenth of the price.
    ['a hundredth, where more than the price is tolerated', 0n, 10n, { toleranceAtomic: 1_100n }, part],
    ['nine tenths, where the price is tolerated', 0n, 900n, { toleranceAtomic: 1_000n }, complete(900n)],
    ['one unit below nine tenths, where the price is tolerated', 0n, 899n, { toleranceAtomic: 1_000n }, part],
    [
      'twice the price, where the price is tolerated',
      0n,
      2_000n,
      { toleranceAtomic: 1_000n },
      complete(2_000n, 1_000n),
    ],
    [
      'more than the price and its tolerance, where more is accepted',
      0n,
      2_001n,
      { toleranceAtomic: 1_000n, over: 'accept' },
      complete(2_001n),
    ],
    // Parts.
    ['a part after a part', 400n, 400n, {}, part],
    ['the part that reaches the sum', 400n, 600n, {}, complete(1_000n)],
    ['the part that reaches the sum within the tolerance', 400n, 595n, { toleranceAtomic: 5n }, complete(995n)],
    ['the part that exceeds the sum', 400n, 700n, {}, complete(1_100n, 100n)],
    ['the part that exceeds the sum, where more is held', 400n, 700n, { over: 'hold' }, complete(1_100n, 100n)],
    ['more than asked after a part, where more is held', 10n, 1_001n, { over: 'hold' }, held],
    ['the whole after a part', 400n, 1_000n, {}, complete(1_400n, 400n)],
    ['the whole after a part, where more is held', 400n, 1_000n, { over: 'hold' }, complete(1_400n, 400n)],
    ['the whole after a part, where less is due back', 400n, 1_000n, { under: 'refund' }, complete(1_400n, 400n)],
    ['a part after a sum that is held', 1_200n, 300n, { over: 'hold' }, aside(null)],
    ['the whole after a sum that is held', 1_200n, 1_000n, { over: 'hold' }, complete(2_200n, 1_000n)],
    ['the whole after a sum that was held before', 1_200n, 1_000n, {}, complete(2_200n, 1_000n)],
    // The floor.
    ['one unit', 0n, 1n, {}, unattributed],
    ['one unit, where less is accepted', 0n, 1n, { under: 'accept' }, unattributed],
    ['one unit, where less is due back', 0n, 1n, { under: 'refund' }, unattributed],
    ['one unit below a hundredth', 0n, 9n, {}, unattributed],
    ['a hundredth', 0n, 10n, {}, part],
    ['one unit below the minimum', 0n, 499n, { minimumAtomic: 500n }, unattributed],
    ['the minimum', 0n, 500n, { minimumAtomic: 500n }, part],
    ['the asked amount below a minimum', 0n, 1_000n, { minimumAtomic: 5_000n }, complete(1_000n)],
    ['what remains, below the minimum', 999n, 1n, { minimumAtomic: 500n }, complete(1_000n)],
  ])('%s', (_, earlierAtomic, paidAtomic, terms, expected) => {
    expect(judge({ earlierAtomic, paidAtomic }, terms)).toEqual(expected);
  });

  test('a hundredth of a small amount is one unit', () => {
    expect(judge({ paidAtomic: 1n }, { askedAtomic: 7n })).toEqual(part);
  });
});

const OTHERS: readonly AmountSituation[] = ['ended', 'late', 'completed', 'under_way', 'other_sender'];

describe.each(OTHERS)('an intent that is not payable: %s', (situation) => {
  test.each<[string, bigint, Partial<AmountTerms>, object]>([
    ['the asked amount', 1_000n, {}, aside(1_000n)],
    ['less', 400n, {}, aside(400n)],
    ['more', 1_200n, {}, aside(1_200n)],
    ['the asked amount, where more is accepted', 1_000n, { over: 'accept', under: 'accept' }, aside(null)],
    ['the asked amount, where more is held', 1_000n, { over: 'hold' }, aside(null)],
    ['one unit', 1n, {}, unattributed],
    ['a hundredth', 10n, {}, aside(10n)],
    ['one unit below the minimum', 499n, { minimumAtomic: 500n }, unattributed],
  ])('%s', (_, paidAtomic, terms, expected) => {
    for (const earlierAtomic of [0n, 400n, 999n, 1_000n])
      expect(judge({ paidAtomic, earlierAtomic, situation }, terms)).toEqual(expected);
  });
});

describe('of any amounts and any policy', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 12n });
  const handling = fc.constantFrom(...MISMATCH_HANDLINGS);
  const terms = fc.record({
    askedAtomic: amount,
    minimumAtomic: fc.bigInt({ min: 0n, max: 10n ** 6n }),
    toleranceAtomic: fc.bigInt({ min: 0n, max: 10n ** 13n }),
    over: handling,
    under: handling,
  });
  const paid = fc.record({
    paidAtomic: amount,
    earlierAtomic: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    situation: fc.constantFrom<AmountSituation>('payable', ...OTHERS),
  });

  test('the whole amount always pays a payable intent, and nothing pays another', () => {
    fc.assert(
      fc.property(terms, paid, (given, { earlierAtomic, situation }) => {
        const { outcome } = judgeAmount(given, { paidAtomic: given.askedAtomic, earlierAtomic, situation });
        expect(outcome === 'complete').toBe(situation === 'payable');
      }),
    );
  });

  test('no more is due back than was paid, and nothing unless the policy says so', () => {
    fc.assert(
      fc.property(terms, paid, (given, of) => {
        const verdict = judgeAmount(given, of);
        const due = 'refundDueAtomic' in verdict ? verdict.refundDueAtomic : null;
        if (due === null) return;
        expect(due > 0n && due <= of.paidAtomic).toBe(true);
        expect(given.over !== 'accept' || given.under === 'refund').toBe(true);
      }),
    );
  });

  test('less than the sum pays only where less is accepted', () => {
    fc.assert(
      fc.property(terms, paid, (given, of) => {
        const verdict = judgeAmount(given, of);
        if (verdict.outcome !== 'complete' || given.under === 'accept') return;
        expect(verdict.paidTotalAtomic >= given.askedAtomic - given.toleranceAtomic).toBe(true);
        expect(verdict.paidTotalAtomic * 10n >= given.askedAtomic * 9n).toBe(true);
      }),
    );
  });
});

describe('the policy in units of the token', () => {
  const coin = token('coin', 6);
  const read = parseRate({ token: coin, usdPerToken: '2', source: 'test', observedAtMs: 0 });
  if (!read.ok) throw new Error(read.code);
  const offer = { amount: atomicAmount(10_000_000n), rate: read.rate, minimumUsdMicros: usdMicros(3n) };

  test('of an account that set none: no tolerance, a surplus is due back, less is held', () => {
    expect(amountTerms(DEFAULT_MISMATCH_POLICY, offer)).toEqual({
      askedAtomic: 10_000_000n,
      // Three millionths of a dollar are one and a half units: rounded up.
      minimumAtomic: 2n,
      toleranceAtomic: 0n,
      over: 'refund',
      under: 'hold',
    });
  });

  test.each([
    [500_000n, 0, 250_000n],
    [500_000n, 100, 250_000n],
    [500_000n, 300, 300_000n],
    // A fraction of a unit is never tolerated.
    [3n, 0, 1n],
  ])('of tolerances of %s millionths and %s basis points the larger counts', (micros, bps, expected) => {
    const policy = {
      ...DEFAULT_MISMATCH_POLICY,
      toleranceUsdMicros: usdMicros(micros),
      toleranceBps: basisPoints(bps),
    };
    expect(amountTerms(policy, offer).toleranceAtomic).toBe(expected);
  });

  test('without a rate there is no absolute tolerance and no minimum', () => {
    const policy = { ...DEFAULT_MISMATCH_POLICY, toleranceUsdMicros: usdMicros(500_000n) };
    const terms = amountTerms(policy, { amount: offer.amount });
    expect(terms).toMatchObject({ toleranceAtomic: 0n, minimumAtomic: 0n });
  });
});
