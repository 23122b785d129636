import { type Address, getTransactionEncoder, type SignatureBytes, type Transaction } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeTransaction } from './write-transaction.ts';

const signature = fc.option(fc.uint8Array({ minLength: 64, maxLength: 64 }), { nil: null });

test('a transaction has the bytes that the library writes, with and without each signature', () => {
  fc.assert(
    fc.property(
      fc.array(signature, { minLength: 1, maxLength: 130 }),
      fc.uint8Array({ minLength: 1, maxLength: 1_000 }),
      (given, rest) => {
        // Version 0, and the number of signers, to which the library holds the signatures.
        const messageBytes = Uint8Array.from([0x80, given.length, ...rest]);
        const signatures = Object.fromEntries(
          given.map((one, place) => [`signer${place}` as Address, one as SignatureBytes | null]),
        );
        const transaction = { signatures, messageBytes } as unknown as Transaction;
        expect(writeTransaction(transaction)).toEqual(Uint8Array.from(getTransactionEncoder().encode(transaction)));
      },
    ),
    { numRuns: 300 },
  );
});
