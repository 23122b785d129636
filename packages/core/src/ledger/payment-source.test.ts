import { expect, test } from 'vitest';
import type { BookedEntry, BookedPaymentRow } from './books.ts';
import { paymentSource } from './payment-source.ts';

const settlement = (direct: boolean, foreignTransactionId: string | null) =>
  ({ direct, foreignTransactionId }) as NonNullable<BookedPaymentRow['settlement']>;
const payerEntry = (id: string, amountAtomic: bigint, transactionId: string, logIndex: number): BookedEntry =>
  ({ id, accountName: 'payer', amountAtomic, transactionId, logIndex, reverses: null }) as BookedEntry;
const pulledAt = (logIndex: number): readonly BookedEntry[] => [payerEntry('lg_a', -5n, '0xaa', logIndex)];
const refunded = payerEntry('lg_b', 5n, '0xbb', 3);

test.each([
  ['settled', 'a lane of the processor', settlement(false, null), pulledAt(6)],
  ['received', 'a payer’s own call', settlement(false, '0xaa'), pulledAt(6)],
  ['direct', 'a lane to a wallet', settlement(true, null), pulledAt(7)],
  ['direct', 'a stranger to a wallet', settlement(true, '0xaa'), pulledAt(7)],
  ['settled', 'a processor, long ago', null, pulledAt(6)],
  ['direct', 'a wallet, long ago', null, pulledAt(7)],
  ['settled', 'a processor, long ago and refunded', null, [refunded, ...pulledAt(6)]],
  ['direct', 'a wallet, long ago and refunded', null, [refunded, ...pulledAt(7)]],
] as const)('%s: %s', (source, _, kept, entries) => {
  expect(paymentSource({ settlement: kept, splitId: '0xaa:7', entries } as BookedPaymentRow)).toBe(source);
});
