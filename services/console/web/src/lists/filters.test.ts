import { areIntentFiltersCombinable, choosePaymentIndex } from '@svc-pay/core';
import { INTENT_STATUSES, PAYMENT_STATUSES } from '@svc-pay/protocol';
import { intentQuery, paymentQuery } from '@svc-pay/protocol/merchant';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FilterName, filtersOf, type ListFilters, queryOf, readFilters, withFilter } from './filters.ts';

const VALUES: Readonly<Record<FilterName, readonly string[]>> = {
  status: [...new Set([...PAYMENT_STATUSES, ...INTENT_STATUSES])],
  chain: ['eip155:8453'],
  token: ['base_usdc'],
  payer: ['0x1111111111111111111111111111111111111111'],
  transactionId: [`0x${'ab'.repeat(32)}`],
  intentId: ['pi_01jc0000000000000000000000'],
  metadata: ['order:42'],
  createdAfter: ['2026-01-01T00:00:00.000Z'],
  createdBefore: ['2027-01-01T00:00:00Z'],
};
const NAMES = Object.keys(VALUES) as FilterName[];
const step = fc
  .constantFrom(...NAMES)
  .chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...VALUES[name], undefined)));

/** What the API makes of it: refused by its shape or by its combination, or read. */
function isTakenByApi(filters: ListFilters): boolean {
  const query = queryOf(filters);
  const schema = filters.list === 'intents' ? intentQuery : paymentQuery;
  if (!schema.safeParse({ limit: '100', ...query }).success) return false;
  const { status, metadata: given } = filters;
  const metadata = given === undefined ? undefined : { key: 'order', value: '42' };
  const range = { createdAfterMs: undefined, createdBeforeMs: undefined };
  if (filters.list === 'intents') return areIntentFiltersCombinable({ ...range, status: status as never, metadata });
  const { chain, token, payer, transactionId, intentId } = filters;
  return choosePaymentIndex({
    ...range,
    status: status as never,
    network: chain as never,
    tokenShortcode: token,
    payer,
    transactionId,
    intentId: intentId as never,
    metadata,
  }).ok;
}

/** Parameters that page through a list or widen its rows; they leave nothing out. */
const NO_FILTERS: readonly string[] = ['limit', 'after', 'before', 'expand'];

test.each([
  ['payments', undefined, paymentQuery],
  ['intents', 'intents', intentQuery],
] as const)('the bar of %s has a control for every filter of the API, and for no other', (_, list, { shape }) => {
  const filters = Object.keys(shape).filter((name) => !NO_FILTERS.includes(name));
  expect(filtersOf(list).toSorted()).toEqual(filters.toSorted());
});

test('whatever somebody clicks, the API takes the filters that result', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const filters = steps.reduce<ListFilters>((now, [name, value]) => withFilter(now, name, value), {});
      const [last, value] = steps.at(-1) ?? [];
      if (last !== undefined) expect(filters[last]).toBe(value);
      expect(isTakenByApi(readFilters(filters))).toBe(true);
    }),
  );
});

test('every address is read as filters that the API takes', () => {
  const search = fc.dictionary(
    fc.constantFrom(...NAMES, 'list', 'limit', 'expand', '__proto__'),
    fc.oneof(fc.constantFrom(...NAMES.flatMap((name) => VALUES[name]), 'intents'), fc.string(), fc.jsonValue()),
  );
  fc.assert(
    fc.property(search, (given) => {
      expect(isTakenByApi(readFilters(given))).toBe(true);
    }),
  );
});

test('an address that the page writes is read back the same', () => {
  const filters = readFilters({ list: 'intents', status: 'mismatched', createdAfter: '2026-01-01T00:00:00.000Z' });
  expect(readFilters(Object.fromEntries(new URLSearchParams(Object.entries(filters))))).toEqual(filters);
});

test('a status of the other list is left out', () => {
  expect(readFilters({ list: 'intents', status: 'refunded' })).toEqual({ list: 'intents' });
  expect(readFilters({ status: 'requires_payment' })).toEqual({});
});
