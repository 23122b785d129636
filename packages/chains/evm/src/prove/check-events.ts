// Compares every settlement event of the processor with the books, in both directions. An intent code settles once per
// chain and an intent names one payment, so equal counts prove that every completed payment has its event.
import { type BookedPaymentRow, type Books, type Findings, liveEntries, PAYMENT_STATUS } from '@svc-pay/core';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { checkReceipts } from './check-receipts.ts';
import { examineEvent } from './examine-event.ts';
import {
  type ChainLog,
  escrowedOf,
  type SettledEvent,
  settledEventOf,
  transferOf,
  withdrawnOf,
} from './processor-logs.ts';
import { type LogRange, readLogs } from './read-logs.ts';
import type { TokenFlows } from './token-flows.ts';

export type EventsToCheck = LogRange & {
  readonly rpc: JsonRpc;
  readonly network: string;
  /** The newest block before the books' snapshot: the books must know every settlement up to this block. */
  readonly knownBlock: bigint;
  /** Blocks up to which the chain reader has read, by address. */
  readonly cursors: ReadonlyMap<string, bigint>;
};

/** Returns how many completed payments have their event, by its kind. Adds the amounts that the logs moved to `flows`. */
export async function checkEvents(
  books: Books,
  given: EventsToCheck,
  flows: TokenFlows,
  findings: Findings,
): Promise<{ readonly settled: number; readonly received: number }> {
  let [matched, received, inFlight, unread] = [0, 0, 0, 0];
  for await (const logs of readLogs(given.rpc, given)) {
    const settled = logs
      .filter(({ address }) => given.processors.includes(address))
      .flatMap((log) => settledEventOf(log) ?? []);
    const rows = await rowsOf(books, settled);
    const booked = new Map<string, BookedPaymentRow[]>();
    for (const event of settled) {
      findings.looked('events');
      const row = rows.get(event.intentCode);
      const verdict = examineEvent(event, row, given.network);
      if (verdict === 'matched' && row !== undefined) {
        if (row.status === PAYMENT_STATUS.completed) matched += 1;
        const { transactionId } = event.log;
        booked.set(transactionId, [...(booked.get(transactionId) ?? []), row]);
      } else if (verdict === 'in_flight' || event.log.blockNumber > given.knownBlock) inFlight += 1;
      else if (typeof verdict === 'object') findings.differs('events', aboutOf(event, row), verdict.problem);
    }
    addFlows(flows, logs, booked, given.processors);
    const receipts = await checkReceipts(books, logs, given, findings);
    received += receipts.matched;
    unread += receipts.waiting;
  }
  if (inFlight > 0) findings.note('events', `${inFlight} settlements on chain belong to payments still under way`);
  if (unread > 0) findings.note('receipts', `${unread} payments by payers' own calls wait for the chain reader`);
  return { settled: matched, received };
}

const LOOKED_UP_AT_ONCE = 500;

async function rowsOf(
  books: Books,
  events: readonly SettledEvent[],
): Promise<ReadonlyMap<bigint | undefined, BookedPaymentRow>> {
  const rows = new Map<bigint | undefined, BookedPaymentRow>();
  for (let start = 0; start < events.length; start += LOOKED_UP_AT_ONCE) {
    const codes = events.slice(start, start + LOOKED_UP_AT_ONCE).map(({ intentCode }) => intentCode);
    for (const row of await books.paymentsOfCodes(codes)) rows.set(row.intent?.code, row);
  }
  return rows;
}

const aboutOf = ({ intentCode, log }: SettledEvent, row: BookedPaymentRow | undefined): readonly string[] => [
  row?.paymentId ?? `intent code ${intentCode}`,
  `${log.transactionId}:${log.logIndex}`,
];

/** The processor's share is taken from the books where they know the transaction, and from the logs otherwise. */
function addFlows(
  flows: TokenFlows,
  logs: readonly ChainLog[],
  booked: ReadonlyMap<string, readonly BookedPaymentRow[]>,
  processors: readonly string[],
): void {
  for (const log of logs) {
    const moved = transferOf(log);
    if (moved !== undefined && !processors.includes(log.address)) {
      if (processors.includes(moved.to)) flows.add(moved.token, 'heldAtomic', moved.amountAtomic);
      if (processors.includes(moved.from)) flows.add(moved.token, 'heldAtomic', -moved.amountAtomic);
    }
    if (!processors.includes(log.address)) continue;
    const withdrawn = withdrawnOf(log);
    if (withdrawn !== undefined) flows.add(withdrawn.token, 'owedAtomic', -withdrawn.amountAtomic);
    const escrowed = booked.has(log.transactionId) ? undefined : escrowedOf(log);
    if (escrowed !== undefined) flows.add(escrowed.token, 'owedAtomic', escrowed.amountAtomic);
  }
  for (const row of [...booked.values()].flat()) {
    for (const { accountName, amountAtomic } of liveEntries(row.entries).live)
      if (accountName === 'escrow') flows.add(row.asset.toLowerCase(), 'owedAtomic', amountAtomic);
  }
}
