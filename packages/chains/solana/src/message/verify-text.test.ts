import { getBase58Decoder } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signaturesIn } from './verify-text.ts';

const bytes64 = fc.uint8Array({ minLength: 64, maxLength: 64 });

test('a signature is read in every spelling that clients use', () => {
  fc.assert(
    fc.property(bytes64, (signature) => {
      const buffer = Buffer.from(signature);
      const spellings = [
        `0x${buffer.toString('hex')}`,
        getBase58Decoder().decode(signature),
        buffer.toString('base64'),
        buffer.toString('base64url'),
      ];
      for (const text of spellings) expect(signaturesIn(text)).toContainEqual(signature);
    }),
  );
});

test('what is no signature is none', () => {
  for (const text of ['', '0x', `0x${'ab'.repeat(63)}`, 'A'.repeat(85), '1'.repeat(88), 'not a signature at all']) {
    expect(signaturesIn(text)).toEqual([]);
  }
});
