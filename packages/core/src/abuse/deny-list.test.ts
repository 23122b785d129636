import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDenyList, type DeniedEntry, type DeniedKind } from './deny-list.ts';

const NOW_MS = 1_000_000;
const entry = (kind: DeniedKind, value: string, expiresAtMs: number | null = null): DeniedEntry => ({
  kind,
  value,
  expiresAtMs,
});
const noHash = () => {
  throw new Error('no hash is denied, so none is made');
};

test('an empty list denies nobody', () => {
  const list = createDenyList([], NOW_MS);
  expect(list.deniesAddress('192.0.2.1', noHash)).toBe(false);
  expect(list.deniesPayer('0xab')).toBe(false);
  expect(list.deniesKey('key_1')).toBe(false);
  expect(list).toMatchObject({ size: 0, changesAtMs: Number.POSITIVE_INFINITY });
});

test.each([
  ['192.0.2.0', true],
  ['192.0.2.255', true],
  ['::ffff:192.0.2.7', true],
  ['192.0.2.7:5000', true],
  ['192.0.1.255', false],
  ['192.0.3.0', false],
  ['2001:db8:0:1::9', true],
  ['2001:db8:0:2::9', false],
  ['unknown', false],
  ['', false],
])('of 192.0.2.0/24 and 2001:db8:0:1::/64, %s: %s', (address, denied) => {
  const list = createDenyList([entry('address', '192.0.2.0/24'), entry('address', '2001:db8:0:1::/64')], NOW_MS);
  expect(list.deniesAddress(address, noHash)).toBe(denied);
});

test('payers are compared as addresses, keys as they are', () => {
  const list = createDenyList([entry('payer', '0xAB'), entry('payer', 'SoLana'), entry('key', 'key_1')], NOW_MS);
  expect([list.deniesPayer('0xab'), list.deniesPayer('SoLana'), list.deniesPayer('solana')]).toEqual([
    true,
    true,
    false,
  ]);
  expect([list.deniesKey('key_1'), list.deniesKey('key_2')]).toEqual([true, false]);
});

test('a principal is denied with all its accounts', () => {
  const owner = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae';
  const account = `${owner}-6cc627i.1`;
  for (const value of [owner, account]) {
    const list = createDenyList([entry('payer', value)], NOW_MS);
    expect([owner, account, 'bkyz2-fmaaa-aaaaa-qaaaq-cai'].map(list.deniesPayer)).toEqual([true, true, false]);
  }
});

test('an address is denied by its hash', () => {
  const list = createDenyList([entry('address_hash', 'aa')], NOW_MS);
  expect(list.deniesAddress('192.0.2.1', () => 'aa')).toBe(true);
  expect(list.deniesAddress('192.0.2.1', () => 'bb')).toBe(false);
});

test('an entry ends at its time, and the list says when it changes next', () => {
  const entries = [entry('key', 'key_1', NOW_MS), entry('key', 'key_2', NOW_MS + 1), entry('key', 'key_3')];
  const list = createDenyList(entries, NOW_MS);
  expect(['key_1', 'key_2', 'key_3'].map(list.deniesKey)).toEqual([false, true, true]);
  expect(list).toMatchObject({ size: 2, changesAtMs: NOW_MS + 1 });
});

test('overlapping ranges deny what each of them denies', () => {
  const octet = fc.integer({ min: 0, max: 3 });
  const range = fc.tuple(octet, octet, fc.constantFrom(24, 30, 31, 32)).map(([c, d, n]) => `10.0.${c}.${d}/${n}`);
  fc.assert(
    fc.property(fc.array(range, { maxLength: 12 }), octet, octet, (ranges, c, d) => {
      const address = `10.0.${c}.${d}`;
      const one = (text: string) => createDenyList([entry('address', text)], NOW_MS).deniesAddress(address, noHash);
      const all = createDenyList(
        ranges.map((text) => entry('address', text)),
        NOW_MS,
      );
      expect(all.deniesAddress(address, noHash)).toBe(ranges.some(one));
    }),
    { numRuns: 500 },
  );
});
