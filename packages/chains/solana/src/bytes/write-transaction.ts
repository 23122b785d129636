import type { Transaction } from '@solana/kit';
import { lengthOf, SIGNATURE_BYTES } from './compile-message.ts';

/** The bytes of a transaction, as the library writes them; zeros for a signature that is missing. */
export function writeTransaction({
  signatures,
  messageBytes,
}: Pick<Transaction, 'signatures' | 'messageBytes'>): Uint8Array {
  const places = Object.values(signatures).map((signature) => signature ?? new Uint8Array(SIGNATURE_BYTES));
  const count = Uint8Array.from(lengthOf(places.length));
  return Uint8Array.from(Buffer.concat([count, ...places, Uint8Array.from(messageBytes)]));
}
