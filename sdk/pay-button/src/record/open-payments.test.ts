import { expect, test } from 'vitest';
import { openPayments } from './open-payments.ts';

const PAYMENT = { paymentIntentId: 'pi_1', savedAtMs: 1_000, takenBeforeMs: 361_000, isTold: false };
const shelfOf = (items: Map<string, string>) => ({
  getItem: (key: string) => items.get(key) ?? null,
  setItem: (key: string, value: string) => void items.set(key, value),
  removeItem: (key: string) => void items.delete(key),
});
const broken = {
  getItem: () => {
    throw new Error('forbidden');
  },
  setItem: () => {
    throw new Error('full');
  },
  removeItem: () => {
    throw new Error('forbidden');
  },
};

test('what one tab saved another one finds, until it is forgotten', () => {
  const items = new Map<string, string>();
  const [one, other] = [openPayments(shelfOf(items), () => 2_000), openPayments(shelfOf(items), () => 2_000)];
  one.save('a', PAYMENT);
  expect(other.find('a')).toEqual(PAYMENT);
  expect(other.find('b')).toBeUndefined();
  other.forget('a');
  expect(one.find('a')).toBeUndefined();
});

test.each([
  ['no storage', undefined],
  ['storage that throws', broken],
])('%s: the page itself remembers', (_, shelf) => {
  const payments = openPayments(shelf, () => 2_000);
  payments.save('a', PAYMENT);
  expect(payments.find('a')).toEqual(PAYMENT);
  payments.forget('a');
  expect(payments.find('a')).toBeUndefined();
});

test('after a week it is forgotten; what is no record is none', () => {
  const items = new Map([
    ['svc-pay:x', '{"paymentIntentId":7}'],
    ['svc-pay:y', 'nonsense'],
  ]);
  const payments = openPayments(shelfOf(items), () => 1_000 + 7 * 86_400_000 + 1);
  payments.save('a', PAYMENT);
  expect(payments.find('a')).toBeUndefined();
  expect(items.has('svc-pay:a')).toBe(false);
  expect(payments.find('x')).toBeUndefined();
  expect(payments.find('y')).toBeUndefined();
});

test('nothing that could pay is kept', () => {
  const items = new Map<string, string>();
  openPayments(shelfOf(items), () => 0).save('a', PAYMENT);
  expect(Object.keys(JSON.parse(items.get('svc-pay:a') ?? '{}')).sort()).toEqual([
    'isTold',
    'paymentIntentId',
    'savedAtMs',
    'takenBeforeMs',
  ]);
});
