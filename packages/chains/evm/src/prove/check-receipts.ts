// Compares the payments that payers made by calling the processor's `pay` with the books: each is a payment that it
// completed, or an unattributed receipt.
import { type BookedPaymentRow, type Books, type Findings, paymentSource } from '@svc-pay/core';
import type { ChainLog } from './processor-logs.ts';
import { type ReceivedEvent, receivedEventOf } from './processor-logs.ts';

export type ReceiptsToCheck = {
  readonly network: string;
  readonly processors: readonly string[];
  readonly knownBlock: bigint;
  /** Blocks up to which the chain reader has read, by address. */
  readonly cursors: ReadonlyMap<string, bigint>;
};

/** Returns how many events completed a payment, and how many the chain reader has yet to apply. */
export async function checkReceipts(
  books: Books,
  logs: readonly ChainLog[],
  { network, processors, knownBlock, cursors }: ReceiptsToCheck,
  findings: Findings,
): Promise<{ readonly matched: number; readonly waiting: number }> {
  const events = logs
    .filter(({ address }) => processors.includes(address))
    .flatMap((log) => receivedEventOf(log) ?? []);
  let [matched, waiting] = [0, 0];
  if (events.length === 0) return { matched, waiting };
  const uses = new Map(
    (
      await books.logUses(
        network,
        events.map(({ log }) => log),
      )
    ).map((use) => [keyOf(use), use.use] as const),
  );
  const own = await books.ownReceipts(
    network,
    events.map(({ intentCode, payoutId, log }) => ({ intentCode, payoutId, processor: log.address })),
  );
  const rows = await books.paymentsOfTransactions(network, [...new Set(events.map(({ log }) => log.transactionId))]);
  const bySplit = new Map(rows.map((row) => [row.splitId?.toLowerCase(), row]));
  for (const [index, event] of events.entries()) {
    if (!own.has(index)) continue;
    findings.looked('receipts');
    const key = keyOf(event.log);
    const use = uses.get(key);
    const isRead =
      event.log.blockNumber <= (cursors.get(event.log.address) ?? 0n) && event.log.blockNumber <= knownBlock;
    if (use === 'payment') {
      const row = bySplit.get(key);
      const problem = row === undefined ? 'a log proof has it, and no payment names it' : examineReceived(event, row);
      if (problem === undefined) matched += 1;
      else findings.differs('receipts', [row?.paymentId ?? `intent code ${event.intentCode}`, key], problem);
    } else if (use === 'read' || (use === undefined && !isRead)) waiting += 1;
    else if (use === undefined)
      findings.differs('receipts', [`intent code ${event.intentCode}`, key], 'the books do not have this payment');
  }
  return { matched, waiting };
}

const keyOf = ({ transactionId, logIndex }: Pick<ChainLog, 'transactionId' | 'logIndex'>): string =>
  `${transactionId}:${logIndex}`;

export function examineReceived(event: ReceivedEvent, row: BookedPaymentRow): string | undefined {
  if (paymentSource(row) !== 'received') return 'a payer called for it, the books say that an authorization paid';
  const { settlement } = row;
  const pairs: readonly (readonly [name: string, chain: string | bigint, books: string | bigint | null | undefined])[] =
    [
      ['intent code', event.intentCode, row.intent?.code ?? event.intentCode],
      ['payer', event.payer, row.payer?.toLowerCase()],
      ['token', event.token, row.asset.toLowerCase()],
      ['amount', event.amountAtomic, row.paidAtomic],
      ['fee', event.feeAtomic, row.feeAtomic],
      ['payout', event.payoutId, settlement === null ? event.payoutId : settlement.payoutId],
    ];
  const off = pairs.filter(([, chain, books]) => chain !== books);
  if (off.length === 0) return undefined;
  return off.map(([name, chain, books]) => `${name} is ${chain} on chain, ${books ?? 'none'} in the books`).join('; ');
}

const LISTED = 20;

/** Lists unattributed receipts: money that reached a merchant and pays no intent. */
export async function listUnattributed(books: Books, network: string, findings: Findings): Promise<void> {
  let count = 0;
  const first: string[] = [];
  for await (const page of books.unattributedReceipts(network)) {
    count += page.length;
    for (const { transactionId, logIndex, reason } of page.slice(0, LISTED - first.length))
      first.push(`${transactionId}:${logIndex} (${reason})`);
  }
  if (count === 0) return;
  const rest = count > first.length ? ' …' : '';
  findings.note('receipts', `${count} receipts pay no intent: ${first.join(', ')}${rest}`);
}
