// What completed a payment, and so which logs of the chain must show it.
import type { BookedPaymentRow } from './books.ts';
import { liveEntries } from './live-entries.ts';

/**
 * `settled`: the processor's `PaymentSettled`. `direct`: the token's two logs of an authorization. `received`: the
 * processor's `PaymentReceived` of a payer's own call.
 */
export type PaymentSource = 'settled' | 'direct' | 'received';

export function paymentSource(row: BookedPaymentRow): PaymentSource {
  const { settlement, splitId, entries } = row;
  if (settlement !== null) {
    if (settlement.direct) return 'direct';
    return settlement.foreignTransactionId === null ? 'settled' : 'received';
  }
  // The settlement is no longer kept. A processor moves the money once more after the payer's transfer; nobody does in a
  // direct payment, whose entries all point at that transfer.
  const pulled = liveEntries(entries).live.find(
    ({ accountName, amountAtomic }) => accountName === 'payer' && amountAtomic < 0n,
  );
  const isDirect = pulled !== undefined && `${pulled.transactionId}:${pulled.logIndex}` === splitId;
  return isDirect ? 'direct' : 'settled';
}
