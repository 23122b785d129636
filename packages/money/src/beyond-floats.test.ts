// Amounts that a float can't represent: 2^53 + 1 and similar lose their last unit on any path through a number.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addAtomic, atomicAmount, MAX_ATOMIC, parseAtomic, printAtomic } from './atomic-amount.ts';
import { breakDown } from './breakdown.ts';
import { requiredFromUsd, settledFromUsd, tokenToUsdMicros } from './convert.ts';
import { payoutTerms } from './payout-terms.ts';
import { parseRate } from './rate.ts';
import { parseTokenAmount, printTokenAmount, token, tokenAmount } from './token-amount.ts';
import { parseUsd } from './usd.ts';

const odd = fc.bigInt({ min: 2n ** 53n, max: MAX_ATOMIC - 1n }).map((value) => value | 1n);

test('text, sums and breakdowns keep the last unit of amounts beyond 2^53', () => {
  const free = payoutTerms({ feeBps: 0, splits: [] });
  fc.assert(
    fc.property(odd, (value) => {
      const read = parseAtomic(`${value}`);
      expect(read).toEqual({ ok: true, atomic: value });
      expect(printAtomic(atomicAmount(value))).toBe(`${value}`);
      expect(addAtomic(atomicAmount(value - 1n), atomicAmount(1n))).toBe(value);
      const parts = free.ok && breakDown(atomicAmount(value - 1n), atomicAmount(value), free.terms);
      expect(parts).toMatchObject({ breakdown: { merchantAtomic: value - 1n, refundAtomic: 1n } });
    }),
  );
});

test('at a rate of one dollar, dollars and units carry the same digits both ways', () => {
  const one = token('eighteen', 18);
  const read = parseRate({ token: one, usdPerToken: '1', source: 'test', observedAtMs: 0 });
  if (!read.ok) throw new Error(read.code);
  const { rate } = read;
  const digits = fc.bigInt({ min: 2n ** 53n, max: 10n ** 30n - 1n }).map((value) => value | 1n);
  fc.assert(
    fc.property(digits, (value) => {
      const text = printTokenAmount(tokenAmount(one, value));
      const dollars = parseUsd(text);
      if (!dollars.ok) throw new Error(dollars.code);
      expect(requiredFromUsd(dollars.usd, rate).atomic).toBe(value);
      expect(settledFromUsd(dollars.usd, rate).atomic).toBe(value);
      expect(parseTokenAmount(text, one)).toEqual({ ok: true, amount: { token: one, atomic: value } });
      expect(tokenToUsdMicros(tokenAmount(one, value), rate, 'down')).toEqual({ ok: true, micros: value / 10n ** 12n });
    }),
  );
});
