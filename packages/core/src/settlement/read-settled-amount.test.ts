import { parseRate, parseUsd, requiredFromUsd, token } from '@svc-pay/money';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSettledAmount, settledAtomicAt } from './read-settled-amount.ts';

test.each([
  [{}, 'settled_amount_required'],
  [{ settledAmount: null, settledAmountUsd: null }, 'settled_amount_required'],
  [{ settledAmount: '1', settledAmountUsd: '1' }, 'settled_amount_required'],
  [{ settledAmount: '0' }, 'settled_amount_out_of_range'],
  [{ settledAmount: '1'.repeat(99) }, 'settled_amount_out_of_range'],
  [{ settledAmountUsd: '0.00' }, 'settled_amount_out_of_range'],
  [{ settledAmount: '01' }, 'invalid_amount'],
  [{ settledAmount: ' 1' }, 'invalid_amount'],
  [{ settledAmountUsd: '-1' }, 'invalid_amount'],
  [{ settledAmountUsd: 'NaN' }, 'invalid_amount'],
])('%j is refused: %s', (request, code) => {
  expect(readSettledAmount(request)).toMatchObject({ ok: false, code });
});

test('null counts as absent', () => {
  expect(readSettledAmount({ settledAmount: '5', settledAmountUsd: null })).toEqual({
    ok: true,
    asked: { atomic: 5n },
  });
});

test('a charge within the dollar budget never exceeds the cap, at whatever rate the cap was computed', () => {
  const atto = fc.bigInt({ min: 1n, max: 10n ** 24n });
  const text = (value: bigint) => `${value / 10n ** 18n}.${(value % 10n ** 18n).toString().padStart(18, '0')}`;
  fc.assert(
    fc.property(atto, atto, atto, fc.integer({ min: 0, max: 18 }), (first, second, price, decimals) => {
      const [charge, budget] = first < second ? [first, second] : [second, first];
      const rate = parseRate({
        token: token('any', decimals),
        usdPerToken: text(price),
        source: 'test',
        observedAtMs: 1,
      });
      const asked = parseUsd(text(charge));
      const priced = parseUsd(text(budget));
      if (!rate.ok || !asked.ok || !priced.ok) return;
      const cap = requiredFromUsd(priced.usd, rate.rate).atomic;
      expect(settledAtomicAt({ usd: asked.usd }, rate.rate) <= cap).toBe(true);
    }),
  );
});
