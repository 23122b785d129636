// Compares one settlement event with the payment that the books have for its intent.
import { type BookedPaymentRow, PAYMENT_STATUS } from '@svc-pay/core';
import type { SettledEvent } from './processor-logs.ts';

export type EventVerdict = 'matched' | 'in_flight' | { readonly problem: string };

export function examineEvent(event: SettledEvent, row: BookedPaymentRow | undefined, network: string): EventVerdict {
  if (row === undefined) return { problem: 'no payment of ours has its intent code' };
  if (row.status === PAYMENT_STATUS.pending) return 'in_flight';
  if (row.status !== PAYMENT_STATUS.completed && row.status !== PAYMENT_STATUS.refunded)
    return { problem: `the chain settled it, the books call it ${row.status}` };
  const { settlement } = row;
  const pairs: readonly (readonly [name: string, chain: string | bigint, books: string | bigint | null | undefined])[] =
    [
      ['network', network, row.network],
      ['payer', event.payer, row.payer?.toLowerCase()],
      ['token', event.token, row.asset.toLowerCase()],
      ['settled amount', event.settledAtomic, row.paidAtomic],
      ['fee', event.feeAtomic, row.feeAtomic],
      ['cap', event.capAtomic, settlement === null ? event.capAtomic : settlement.capAtomic],
      ['payout', event.payoutId, settlement === null ? event.payoutId : settlement.payoutId],
      ['log', `${event.log.transactionId}:${event.log.logIndex}`, row.splitId?.toLowerCase()],
    ];
  const off = pairs.filter(([, chain, books]) => chain !== books);
  if (off.length === 0) return 'matched';
  return {
    problem: off
      .map(([name, chain, books]) => `${name} is ${chain} on chain, ${books ?? 'none'} in the books`)
      .join('; '),
  };
}
