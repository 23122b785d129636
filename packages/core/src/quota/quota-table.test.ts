import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import type { Caller } from '../account/authenticate.ts';
import { mayOpenStream } from './open-streams.ts';
import {
  addressBuckets,
  callerBuckets,
  lookupBuckets,
  type QuotaBucket,
  REQUEST_CLASSES,
  reservedBuckets,
  reservedByteBuckets,
  storedByteBuckets,
} from './quota-table.ts';

const LIMITS = { perKey: { live: 100, test: 100 }, perAddress: 20, storedBytesPerDay: 1_600 };
const PUBLISHABLE: Caller = {
  accountId: newId('account', 0),
  keyId: newId('key', 0),
  kind: 'publishable',
  mode: 'live',
};
const SECRET: Caller = { ...PUBLISHABLE, keyId: newId('key', 1), kind: 'secret' };
const IPV4 = { address: '192.0.2.1', network: undefined };
const IPV6 = { address: '2001:db8:1:2::/64', network: '2001:db8:1::/48' };
const shown = (buckets: readonly QuotaBucket[]) =>
  buckets.map(({ scope, quota }) => `${scope} ${quota.size} in ${quota.windowMs}`);

test.each(REQUEST_CLASSES)(
  'ten addresses at their limit of %s use at most half of what a publishable key has',
  (of) => {
    const [address] = addressBuckets(LIMITS, of, IPV4, 'live');
    const perSecond = ((address?.quota.size ?? 0) * 1_000) / (address?.quota.windowMs ?? 1);
    for (const { quota } of callerBuckets(LIMITS, of, PUBLISHABLE)) {
      if (of === 'writes' || of === 'lists' || of === 'exports') continue; // No publishable key reaches such a route.
      expect(10 * perSecond).toBeLessThanOrEqual(quota.size / 2);
      expect(10 * (address?.quota.size ?? 0)).toBeLessThanOrEqual(quota.size / 2);
    }
  },
);

test.each(REQUEST_CLASSES)(
  'where strangers use up %s of an account, a thousand addresses at once fit into its reserve, each with a few requests',
  (of) => {
    const [address, account] = reservedBuckets(LIMITS, of, PUBLISHABLE, IPV4);
    expect(address).toMatchObject({ scope: 'address', quota: { size: 2, windowMs: 10_000 } });
    expect(account).toMatchObject({ scope: 'account' });
    expect(account?.quota.size).toBeGreaterThanOrEqual(1_000 * (address?.quota.size ?? 0));
    expect(reservedBuckets(LIMITS, of, SECRET, IPV4)).toEqual([]);
  },
);

test('a thousand addresses fit into the reserve of stored bytes too, with the default of a gibibyte', () => {
  const [address, account] = reservedByteBuckets({ ...LIMITS, storedBytesPerDay: 2 ** 30 }, PUBLISHABLE, IPV4);
  expect(account?.quota.size).toBeGreaterThanOrEqual(1_000 * (address?.quota.size ?? 0));
  expect(reservedByteBuckets(LIMITS, SECRET, IPV4)).toEqual([]);
});

test('no class shares a bucket with another, nor strangers with the merchant’s server', () => {
  const all = REQUEST_CLASSES.flatMap((of) => [
    ...addressBuckets(LIMITS, of, IPV6, 'live'),
    ...callerBuckets(LIMITS, of, PUBLISHABLE),
    ...callerBuckets(LIMITS, of, SECRET),
    ...reservedBuckets(LIMITS, of, PUBLISHABLE, IPV6),
  ]);
  const bytes = [
    ...storedByteBuckets(LIMITS, PUBLISHABLE, IPV6),
    ...storedByteBuckets(LIMITS, SECRET, IPV6),
    ...reservedByteBuckets(LIMITS, PUBLISHABLE, IPV6),
  ];
  const names = [...all, ...bytes, ...lookupBuckets(LIMITS, IPV6)].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('a publishable key has no quota of its own for paying, a secret key has', () => {
  expect(shown(callerBuckets(LIMITS, 'settles', PUBLISHABLE))).toEqual(['account 400 in 1000']);
  expect(shown(callerBuckets(LIMITS, 'creates', PUBLISHABLE))).toEqual(['key 100 in 1000', 'account 400 in 1000']);
  expect(shown(callerBuckets(LIMITS, 'settles', SECRET))).toEqual(['key 100 in 1000', 'account 400 in 1000']);
});

test('an account can have a rate of its own', () => {
  const raised = { ...SECRET, ratePerSecond: 250 };
  expect(shown(callerBuckets(LIMITS, 'reads', raised))).toEqual(['key 250 in 1000', 'account 1000 in 1000']);
});

test('the /48 of an IPv6 address has four times the quota of an address', () => {
  expect(shown(addressBuckets(LIMITS, 'reads', IPV6, 'live'))).toEqual(['network 80 in 1000', 'address 20 in 1000']);
  expect(shown(addressBuckets(LIMITS, 'reads', IPV4, 'live'))).toEqual(['address 20 in 1000']);
});

test('one address may create a few intents at once, also where a key has a small quota', () => {
  const small = { ...LIMITS, perKey: { live: 100, test: 10 } };
  expect(shown(addressBuckets(small, 'creates', IPV4, 'live'))).toEqual(['address 5 in 2500']);
  expect(shown(addressBuckets(small, 'creates', IPV4, 'test'))).toEqual(['address 5 in 25000']);
});

test('stored bytes are counted by day: of an address a sixteenth of its account’s', () => {
  expect(shown(storedByteBuckets(LIMITS, PUBLISHABLE, IPV4))).toEqual([
    'address 100 in 86400000',
    'account 1600 in 86400000',
  ]);
  expect(shown(storedByteBuckets(LIMITS, SECRET, IPV4))).toEqual(['account 1600 in 86400000']);
});

test.each([
  [{ here: 0, elsewhere: 0, opened: 0 }, 10, 1, true],
  [{ here: 9, elsewhere: 0, opened: 9 }, 10, 1, true],
  [{ here: 10, elsewhere: 0, opened: 0 }, 10, 1, false],
  [{ here: 0, elsewhere: 10, opened: 0 }, 10, 2, false],
  // Two of the 16 that are left.
  [{ here: 3, elsewhere: 2, opened: 1 }, 20, 2, true],
  [{ here: 4, elsewhere: 2, opened: 2 }, 20, 2, false],
  // A name that is new here: one, until the others have said.
  [{ here: 0, elsewhere: undefined, opened: 0 }, 10, 2, true],
  [{ here: 1, elsewhere: undefined, opened: 1 }, 10, 2, false],
])('with %j of %i streams and %i processes another may open: %s', (count, limit, live, may) => {
  expect(mayOpenStream(count, limit, live)).toBe(may);
});
