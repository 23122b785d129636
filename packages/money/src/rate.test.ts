import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isStale, MAX_RATE_SKEW_MS, parseRate } from './rate.ts';
import { token } from './token-amount.ts';

const eth = token('base_eth', 18);
const given = { token: eth, usdPerToken: '3141.59', source: 'exchange', observedAtMs: 1_000_000 };

function rateAt(observedAtMs: number) {
  const read = parseRate({ ...given, observedAtMs });
  if (!read.ok) throw new Error(read.code);
  return read.rate;
}

test('a rate keeps its price exactly, with its source and time', () => {
  expect(parseRate(given)).toEqual({
    ok: true,
    rate: { token: eth, usdPerToken: 3_141_590_000_000_000_000_000n, source: 'exchange', observedAtMs: 1_000_000 },
  });
});

test.each([
  ['0', 'zero'],
  ['0.000', 'zero'],
  [0, 'zero'],
  ['-1', 'negative'],
  ['abc', 'not_a_number'],
  ['1e-19', 'too_many_decimals'],
  ['1e13', 'too_large'],
])('a price of %j is refused as %s', (usdPerToken, code) => {
  expect(parseRate({ ...given, usdPerToken })).toEqual({ ok: false, code });
});

test.each([{ source: '' }, { observedAtMs: -1 }, { observedAtMs: 0.5 }, { observedAtMs: Number.NaN }])(
  'a rate with %o is a bug of the caller',
  (wrong) => {
    expect(() => parseRate({ ...given, ...wrong })).toThrow(RangeError);
  },
);

test('a rate is fresh exactly from the allowed skew ahead to the allowed age', () => {
  const rate = rateAt(1_000_000);
  const staleAt = (nowMs: number) => isStale(rate, nowMs, 60_000);
  expect(staleAt(1_000_000)).toBe(false);
  expect([1_060_000, 1_060_001].map(staleAt)).toEqual([false, true]);
  expect([1_000_000 - MAX_RATE_SKEW_MS, 999_999 - MAX_RATE_SKEW_MS].map(staleAt)).toEqual([false, true]);
});

test('once too old, a rate stays stale for ever', () => {
  const time = fc.integer({ min: 0, max: 2_000_000_000 });
  fc.assert(
    fc.property(time, time, time, fc.integer({ min: 0, max: 100_000 }), (observedAtMs, a, b, maxAgeMs) => {
      const rate = rateAt(observedAtMs);
      const [earlier = 0, later = 0] = [a, b].sort((x, y) => x - y).map((wait) => observedAtMs + wait);
      if (isStale(rate, earlier, maxAgeMs)) expect(isStale(rate, later, maxAgeMs)).toBe(true);
    }),
  );
});

test('a time or an age that is not a number counts as stale', () => {
  expect(isStale(rateAt(0), Number.NaN, 60_000)).toBe(true);
  expect(isStale(rateAt(0), 0, Number.NaN)).toBe(true);
});
