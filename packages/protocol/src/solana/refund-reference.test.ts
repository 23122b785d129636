import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesFromBase58 } from './base58.ts';
import { refundReference } from './refund-reference.ts';

test('the reference of a refund is its nonce, byte for byte, as an address', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (nonce) => {
      const reference = refundReference(`0x${Buffer.from(nonce).toString('hex')}`);
      expect(bytesFromBase58(reference)).toEqual(nonce);
    }),
  );
});

test.each(['', '0x', `0x${'0'.repeat(62)}`, `0x${'g'.repeat(64)}`])('%j is no nonce and has no reference', (nonce) => {
  expect(() => refundReference(nonce)).toThrow(RangeError);
});
