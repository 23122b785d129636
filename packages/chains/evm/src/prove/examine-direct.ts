// Compares one direct payment with the logs of its transaction: the token must call the payer's authorization used, and
// its very next log must be the transfer of the paid amount from the payer to the merchant's wallet.
import { type BookedPaymentRow, liveEntries } from '@svc-pay/core';
import { directPairAt } from './processor-logs.ts';
import type { MinedReceipt } from './read-receipts.ts';

/** The problem in words; undefined when the logs prove the payment. */
export function examineDirect(row: BookedPaymentRow, receipt: MinedReceipt | undefined): string | undefined {
  if (receipt === undefined) return 'it is paid, and the chain does not have its transaction';
  const logIndex = Number(row.splitId?.split(':')[1] ?? Number.NaN);
  const pair = directPairAt(receipt.logs, row.asset.toLowerCase(), logIndex);
  if (pair === undefined) return `log ${logIndex} is not a transfer right after the use of an authorization`;
  const { used, moved } = pair;
  const payer = row.payer?.toLowerCase();
  const wallet = walletOf(row)?.toLowerCase();
  const pairs: readonly (readonly [name: string, chain: string | bigint, books: string | bigint | null | undefined])[] =
    [
      ['payer', used.payer, payer],
      ['authorization', used.nonce, row.nonce ?? used.nonce],
      ['sender', moved.from, payer],
      ['wallet', moved.to, wallet],
      ['amount', moved.amountAtomic, row.paidAtomic],
    ];
  const off = pairs.filter(([, chain, books]) => chain !== books);
  if (off.length === 0) return undefined;
  return off.map(([name, chain, books]) => `${name} is ${chain} on chain, ${books ?? 'none'} in the books`).join('; ');
}

/** By the entries once the settlement is no longer kept. */
const walletOf = ({ terms, entries }: BookedPaymentRow): string | undefined =>
  terms?.merchant ?? liveEntries(entries).live.find(({ accountName }) => accountName === 'merchant')?.party;
