import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientName, readClientAddress, readClientRange } from './client-address.ts';

const nameOf = (text: string) => {
  const address = readClientAddress(text);
  return address && clientName(address);
};

test.each([
  ['192.0.2.1', '::ffff:192.0.2.1'],
  ['192.0.2.1', '192.0.2.1:443'],
  ['192.0.2.1', '[::ffff:192.0.2.1]:443'],
  ['2001:db8::1', '2001:db8:0:0:ffff::'],
  ['2001:db8::1', '[2001:DB8::2]:443'],
  ['2001:db8::1', '2001:db8::1%eth0'],
])('%s and %s are one client', (one, other) => {
  expect(nameOf(other)).toBe(nameOf(one));
  expect(nameOf(one)).toBeDefined();
});

test.each(['', 'unknown', '192.0.2', '192.0.2.256', 'x'.repeat(200)])('"%.20s" is no address', (text) => {
  expect(readClientAddress(text)).toBeUndefined();
});

test.each([
  ['192.0.2.1', '192.0.2.1/32'],
  ['192.0.2.77/24', '192.0.2.0/24'],
  ['::ffff:192.0.2.1', '192.0.2.1/32'],
  ['2001:db8::1', '2001:db8::/64'],
  ['2001:db8::1/128', '2001:db8::1/128'],
  ['2001:DB8:0:1::/48', '2001:db8::/48'],
  ['2001:db8:1:0:0:1:0:1/128', '2001:db8:1::1:0:1/128'],
  ['1:2:3:4:5:6:7:8/128', '1:2:3:4:5:6:7:8/128'],
  ['fe80::/16', 'fe80::/16'],
])('%s is written %s', (text, written) => {
  expect(readClientRange(text)).toMatchObject({ ok: true, text: written });
});

test.each([
  ['0.0.0.0/0', 'too_wide'],
  ['10.0.0.0/7', 'too_wide'],
  ['::/0', 'too_wide'],
  ['2000::/15', 'too_wide'],
  ['192.0.2.0/33', 'not_a_range'],
  ['192.0.2.0/24/8', 'not_a_range'],
  ['203.0.113.0-203.0.113.9', 'not_a_range'],
  ['key_1', 'not_a_range'],
])('%s is refused: %s', (text, code) => {
  expect(readClientRange(text)).toEqual({ ok: false, code });
});

test('what is written is read as the same range', () => {
  const groups = fc.array(fc.constantFrom('0', '1', 'ab', 'ffff'), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(groups, fc.integer({ min: 16, max: 128 }), (words, length) => {
      const first = readClientRange(`${words.join(':')}/${length}`);
      // Eight groups may spell an IPv4 range, and then a wide one.
      fc.pre(first.ok);
      expect(readClientRange(first.text)).toEqual(first);
    }),
    { numRuns: 300 },
  );
});
