import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { base58Of, bytesOfBase58 } from './base58.ts';

const padded = fc
  .tuple(fc.nat(4), fc.uint8Array({ maxLength: 80 }))
  .map(([zeros, bytes]) => Uint8Array.from([...new Uint8Array(zeros), ...bytes]));

test('bytes are written and read as the library does, leading zeros too', () => {
  fc.assert(
    fc.property(padded, (bytes) => {
      const text = base58Of(bytes);
      expect(text).toBe(getBase58Decoder().decode(bytes));
      expect(bytesOfBase58(text)).toEqual(Uint8Array.from(getBase58Encoder().encode(text)));
    }),
    { numRuns: 2_000 },
  );
});

test('32 and 64 bytes of every extreme are read back', () => {
  for (const length of [32, 64])
    for (const byte of [0, 1, 127, 128, 255]) {
      const bytes = new Uint8Array(length).fill(byte);
      expect(bytesOfBase58(base58Of(bytes))).toEqual(bytes);
    }
});

test.each(['0', 'O', 'I', 'l', 'a b', 'ü', '\u{1F600}'])('%j is not base58', (text) => {
  expect(bytesOfBase58(text)).toBeUndefined();
});
