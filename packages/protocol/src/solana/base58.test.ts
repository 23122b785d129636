import fc from 'fast-check';
import { expect, test } from 'vitest';
import { base58FromBytes, bytesFromBase58 } from './base58.ts';
import { tokenAccountOf } from './token-account.ts';

test('what was written is read back, leading zeros too', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(4), (bytes, zeros) => {
      const padded = Uint8Array.from([...new Uint8Array(zeros), ...bytes]);
      expect(bytesFromBase58(base58FromBytes(padded))).toEqual(padded);
    }),
  );
});

test('the system program is thirty-two zeros', () => {
  expect(base58FromBytes(new Uint8Array(32))).toBe('1'.repeat(32));
});

test.each(['0', 'O', 'I', 'l', 'a b', 'ü'])('%j is not base58', (text) => {
  expect(bytesFromBase58(text)).toBeUndefined();
});

test('there is no token account of what is no address', () => {
  const mint = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
  for (const owner of ['', 'x', '0xabc', '1'.repeat(31), '1'.repeat(33)]) {
    expect(tokenAccountOf(owner, mint, mint)).toBeUndefined();
  }
});
