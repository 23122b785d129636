import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isId, newId, timeOfId } from './id.ts';

const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });

test('an id gives back the millisecond it was drawn at', () => {
  fc.assert(
    fc.property(time, (ms) => {
      expect(timeOfId(newId('payment', ms))).toBe(ms);
    }),
  );
});

test('ids sort as text in the order of their times', () => {
  fc.assert(
    fc.property(time, time, (one, other) => {
      fc.pre(one !== other);
      expect(newId('event', one) < newId('event', other)).toBe(one < other);
    }),
  );
});

test('an id is known by its own kind alone', () => {
  const id = newId('paymentIntent', 1_700_000_000_000);
  expect(id).toMatch(/^pi_[0-9a-z]{26}$/);
  expect(isId('paymentIntent', id)).toBe(true);
  expect(isId('payment', id)).toBe(false);
  expect(isId('event', id)).toBe(false);
});

test('what is not an id is refused, whatever it is', () => {
  const id = newId('account', 5);
  const bad = [
    '',
    'acct_',
    id.toUpperCase(),
    `${id}0`,
    id.slice(0, -1),
    ` ${id}`,
    `${id}\n`,
    id.replace('_', '-'),
    7,
    null,
  ];
  for (const text of bad) expect(isId('account', text)).toBe(false);
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(isId('account', text)).toBe(false);
    }),
  );
});

test('a time before the epoch or past 48 bits is a bug of the caller', () => {
  for (const ms of [-1, 2 ** 48, 0.5, Number.NaN]) expect(() => newId('event', ms)).toThrow(RangeError);
});

test('ten thousand ids of one millisecond are all different', () => {
  const ids = Array.from({ length: 10_000 }, () => newId('delivery', 42));
  expect(new Set(ids).size).toBe(ids.length);
});

test('every random bit reaches the id', () => {
  const idOf = (bytes: number[]) => newId('event', 0, () => Uint8Array.from(bytes));
  const zero = Array<number>(10).fill(0);
  const seen = new Set([idOf(zero)]);
  for (let bit = 0; bit < 80; bit += 1)
    seen.add(idOf(zero.map((_, index) => (index === bit >> 3 ? 1 << (bit & 7) : 0))));
  expect(seen.size).toBe(81);
  expect(idOf(Array<number>(10).fill(255))).toBe(`evt_${'0'.repeat(10)}${'z'.repeat(16)}`);
});
