import { EVENT_TYPES, PAYMENT_EVENT_TYPES } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { FIRST_EVENT_TYPES, goesFirst, keptSlots } from './goes-first.ts';

test('the events of payments go first, and no event that a create alone causes', () => {
  expect(FIRST_EVENT_TYPES).toEqual(PAYMENT_EVENT_TYPES);
  expect(EVENT_TYPES.filter((type) => !goesFirst(type))).toEqual([
    'payment_intent.created',
    'x402_upto_authorization_received',
    'payment_intent.canceled',
  ]);
});

test.each([
  [1, 0],
  [2, 1],
  [3, 1],
  [4, 1],
  [7, 1],
  [8, 2],
  [32, 8],
  [512, 128],
])('of %i slots %i are kept', (slots, kept) => {
  expect(keptSlots(slots)).toBe(kept);
});
