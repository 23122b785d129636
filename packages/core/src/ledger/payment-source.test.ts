import { expect, test } from 'vitest';
import type { BookedEntry, BookedPaymentRow } from './books.ts';
import { paymentSource } from './payment-source.ts';

const settlement = (direct: boolean, foreignTransactionId: string | null) =>
  ({ direct, foreignTransactionId }) as NonNullable<BookedPaymentRow['settlement']>;
const pulledAt = (logIndex: number): readonly BookedEntry[] => [
  { id: 'lg_a', accountName: 'payer', transactionId: '0xaa', logIndex, reverses: null } as BookedEntry,
];

test.each([
  ['settled', 'a lane of the processor', settlement(false, null), pulledAt(6)],
  ['received', 'a payer’s own call', settlement(false, '0xaa'), pulledAt(6)],
  ['direct', 'a lane to a wallet', settlement(true, null), pulledAt(7)],
  ['direct', 'a stranger to a wallet', settlement(true, '0xaa'), pulledAt(7)],
  ['settled', 'a processor, long ago', null, pulledAt(6)],
  ['direct', 'a wallet, long ago', null, pulledAt(7)],
] as const)('%s: %s', (source, _, kept, entries) => {
  expect(paymentSource({ settlement: kept, splitId: '0xaa:7', entries } as BookedPaymentRow)).toBe(source);
});
