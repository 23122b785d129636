import fc from 'fast-check';
import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import { readEvmAddress } from './read-address.ts';

const hex = fc.stringMatching(/^[0-9a-f]{40}$/).filter((digits) => !/^0+$/.test(digits));

test('an address is read in lower case, upper case or with its checksum', () => {
  fc.assert(
    fc.property(hex, (digits) => {
      const address = `0x${digits}`;
      for (const form of [address, `0x${digits.toUpperCase()}`, getAddress(address)]) {
        expect(readEvmAddress(form)).toEqual({ ok: true, address });
      }
    }),
  );
});

test('one letter in the wrong case is a mistyped address', () => {
  const good = getAddress(`0x${'ab'.repeat(20)}`);
  const at = good.indexOf('a', 2);
  const bad = good.slice(0, at) + 'A' + good.slice(at + 1);
  expect(readEvmAddress(good)).toMatchObject({ ok: true });
  expect(readEvmAddress(bad)).toMatchObject({ ok: false, message: expect.stringContaining('checksum') });
});

test.each(['', '0x', `0x${'0'.repeat(40)}`, `0x${'a'.repeat(39)}`, `0x${'g'.repeat(40)}`, 'a'.repeat(42)])(
  '%j is no address to send money to',
  (text) => {
    expect(readEvmAddress(text)).toMatchObject({ ok: false });
  },
);
