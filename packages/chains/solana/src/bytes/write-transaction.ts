import type { Transaction } from '@solana/kit';
import { lengthOf, SIGNATURE_BYTES } from './compile-message.ts';

/** The bytes of a transaction, as the library writes them; zeros for a signature that is missing. */
export function writeTransaction({
  signatures,
  messageBytes,
}: Pick<Transaction, 'signatures' | 'messageBytes'>): Uint8Array {
  const places = Object.values(signatures).map((signature) => signature ?? new Uint8Array(SIGNATURE_BYTES));
  return Uint8Array.from(
    Buffer.concat(
      [Uint8Array.from(lengthOf(places.length)), ...places, messageBytes].map((part) => Uint8Array.from(part)),
    ),
  );
}
