import { expect, test } from 'vitest';
import { chargedBefore, decideDelivery, decideUnsendable, isUncharged, PARKED_AT_MS } from './decide-delivery.ts';
import type { DeliveryVerdict } from './delivery.ts';

const AT = 1_794_744_000_000;
const succeeded: DeliveryVerdict = { next: 'succeeded' };
const again: DeliveryVerdict = { next: 'again', atMs: AT, charged: true };
const failed: DeliveryVerdict = { next: 'failed', reason: 'retries_exhausted' };

const PARKED = { status: 'pending', nextAtMs: PARKED_AT_MS, reason: null };
const DELETED = { status: 'discarded', nextAtMs: null, reason: 'endpoint_deleted' };
const UNKNOWN = { status: 'discarded', nextAtMs: null, reason: 'endpoint_unknown' };
const SUCCEEDED = { status: 'succeeded', nextAtMs: null, reason: null };

test.each([
  ['enabled', succeeded, SUCCEEDED],
  ['enabled', again, { status: 'pending', nextAtMs: AT, reason: null }],
  ['enabled', failed, { status: 'failed', nextAtMs: null, reason: 'retries_exhausted' }],
  ['disabled', succeeded, SUCCEEDED],
  ['disabled', again, PARKED],
  ['disabled', failed, PARKED],
  ['deleted', succeeded, SUCCEEDED],
  ['deleted', again, DELETED],
  ['deleted', failed, DELETED],
  [undefined, succeeded, SUCCEEDED],
  [undefined, again, UNKNOWN],
  [undefined, failed, UNKNOWN],
] as const)('endpoint %s and verdict %j: %j', (endpoint, verdict, expected) => {
  expect(decideDelivery(verdict, endpoint)).toEqual(expected);
});

test('what is due for an endpoint that gets no events waits for it, or is discarded with the reason', () => {
  expect(decideUnsendable('disabled')).toEqual(PARKED);
  expect(decideUnsendable('deleted')).toEqual(DELETED);
  expect(decideUnsendable(undefined)).toEqual(UNKNOWN);
});

test('only an attempt that failed on our side is not charged', () => {
  expect([succeeded, again, failed, { ...again, charged: false }].map(isUncharged)).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect(chargedBefore(1, 0)).toBe(0);
  expect(chargedBefore(5, 3)).toBe(1);
});
