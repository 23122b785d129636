import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressName, addressNames } from './address-name.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:0207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:51234', '192.0.2.7'],
  ['[2001:db8:1:2::9]:51234', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['2001:db8:1:2:3:4:192.0.2.7', '2001:db8:1:2::/64'],
  ['unknown', 'unknown'],
])('%s is limited as %s', (address, name) => {
  expect(addressName(address)).toBe(name);
});

test.each([
  ['192.0.2.7', undefined],
  ['::ffff:192.0.2.7', undefined],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8:1:ffff::1', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
  ['unknown', undefined],
])('the network of %s is %s', (address, network) => {
  expect(addressNames(address).network).toBe(network);
});

test('all addresses of one /64 have one name, and those of another /64 another', () => {
  const word = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
  const half = fc.array(word, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(half, half, half, half, (network, other, host, second) => {
      fc.pre(network.join(':') !== other.join(':') && network.join('') !== '0000' && other.join('') !== '0000');
      const nameOf = (...words: string[][]) => addressName(words.flat().join(':'));
      expect(nameOf(network, host)).toBe(nameOf(network, second));
      expect(nameOf(network, host)).not.toBe(nameOf(other, host));
    }),
  );
});

test('whatever text a proxy passes on, the name is short', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 500 }), (text) => {
      expect(addressName(text).length).toBeLessThanOrEqual(64);
    }),
  );
  expect(addressName('x'.repeat(9_000))).toHaveLength(64);
});
