// Reads what the API and the chain say of a payment that was made, waiting for what comes a little later.
import type { EventSummary } from '@svc-pay/protocol/merchant';
import { type ExportedEntry, type ExportedPayment, type Exports, orThrow } from '@svc-pay/server';
import type { SeenReceipt } from './chain-facts.ts';
import type { PaymentFlow } from './journal.ts';
import type { AskedPayment, PartyBalance, PaymentFacts } from './payment-facts.ts';
import { answered, FlowFailed, type Rehearsal, waitFor } from './rehearsal.ts';

/** Where the exports of an account ended before the rehearsal paid anything. */
export type ExportStart = { readonly payments: string | undefined; readonly ledger: string | undefined };

export type CollectOptions = {
  readonly start: ExportStart;
  /** How long events, deliveries, books and receipts may take after the payment. */
  readonly patienceMs: number;
};

/** Reads both exports to their ends. Throws a `SvcPayError`. */
export async function exportStartOf(exports: Exports): Promise<ExportStart> {
  let [payments, ledger]: (string | undefined)[] = [];
  for await (const page of exports.eachPaymentsPage({ limit: 5_000 })) payments = page.cursor;
  for await (const page of exports.eachLedgerPage({ limit: 5_000 })) ledger = page.cursor;
  return { payments, ledger };
}

export async function collectFacts(
  rehearsal: Rehearsal,
  asked: AskedPayment,
  options: CollectOptions,
): Promise<PaymentFacts> {
  const { api } = rehearsal.merchantOf(asked.flow);
  const { situation } = answered('read the intent', await api.intents.get(asked.paymentIntentId));
  if (situation.payment === null) throw new FlowFailed('the intent is paid and has no payment');
  const { payment } = answered('read the payment', await api.payments.get(situation.payment.id));
  if (payment.transactionId === null) throw new FlowFailed('the payment is completed and names no transaction');
  const receipt = await receiptOf(rehearsal, payment.transactionId, options.patienceMs);
  const books = await booksOf(rehearsal, asked.flow, payment.id, options);
  const onChain = await balancesOf(rehearsal, asked, receipt, books.entries);
  const events = await eventsOf(rehearsal, asked, options.patienceMs);
  return { asked, payment, receipt, events, ...books, ...onChain };
}

/** What may come twice, read again: a second booking or event that came after the first ones is among them. */
export async function collectAgain(
  rehearsal: Rehearsal,
  facts: PaymentFacts,
  options: CollectOptions,
): Promise<PaymentFacts> {
  const books = await booksOf(rehearsal, facts.asked.flow, facts.payment.id, options);
  return { ...facts, ...books, events: await eventsOf(rehearsal, facts.asked, options.patienceMs) };
}

async function receiptOf(
  { chain, stopping }: Rehearsal,
  transactionId: string,
  patienceMs: number,
): Promise<SeenReceipt> {
  const receipt = await waitFor(() => chain.receipt(transactionId), patienceMs, stopping);
  if (receipt === undefined) throw new FlowFailed(`the node has no receipt of ${transactionId}`);
  return receipt;
}

type Books = { readonly bookings: readonly ExportedPayment[]; readonly entries: readonly ExportedEntry[] };

/** What was exported of the payment since the start. Empty if it does not come: the check then says so. */
async function booksOf(
  { merchantOf, stopping }: Rehearsal,
  flow: PaymentFlow,
  paymentId: string,
  { start, patienceMs }: CollectOptions,
): Promise<Books> {
  const { exports } = merchantOf(flow).api;
  const ours = ({ paymentId: of }: { readonly paymentId: string }) => of === paymentId;
  const read = async (): Promise<Books> => {
    const bookings: ExportedPayment[] = [];
    const entries: ExportedEntry[] = [];
    const from = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor });
    for await (const { rows } of exports.eachPaymentsPage(from(start.payments))) bookings.push(...rows.filter(ours));
    for await (const { rows } of exports.eachLedgerPage(from(start.ledger))) entries.push(...rows.filter(ours));
    return { bookings, entries };
  };
  const found = await waitFor(
    async () => {
      const books = await read();
      return books.bookings.length > 0 && books.entries.length > 0 ? books : undefined;
    },
    patienceMs,
    stopping,
  );
  return found ?? { bookings: [], entries: [] };
}

/** Over the block of the payment: providers keep the state of old blocks for minutes only, so it is read at once. */
async function balancesOf(
  { chain }: Rehearsal,
  { token, payer }: AskedPayment,
  { blockNumber, blockHash }: SeenReceipt,
  entries: readonly ExportedEntry[],
): Promise<Pick<PaymentFacts, 'balances' | 'blockTransfers'>> {
  const booked = entries.filter(({ asset }) => asset.toLowerCase() === token.toLowerCase());
  const parties = [...new Set([payer, ...booked.map(({ party }) => party)].map((party) => party.toLowerCase()))];
  const before = await chain.balances(token, parties, blockNumber - 1n);
  const after = await chain.balances(token, parties, blockNumber);
  const balances = parties.map(
    (party, index): PartyBalance => ({
      party,
      beforeAtomic: before[index] ?? 0n,
      afterAtomic: after[index] ?? 0n,
    }),
  );
  return { balances, blockTransfers: await chain.transfersIn(token, { number: blockNumber, hash: blockHash }) };
}

/** Waits for `payment.completed` and for deliveries; what is missing after that is for the check to say. */
async function eventsOf(
  { merchantOf, stopping }: Rehearsal,
  { flow, paymentIntentId }: AskedPayment,
  patienceMs: number,
): Promise<readonly EventSummary[]> {
  const { events } = merchantOf(flow).api;
  const list = async () => orThrow(await events.list({ intentId: paymentIntentId, limit: 100 })).data;
  const isOver = (found: readonly EventSummary[]) =>
    found.some(({ type }) => type === 'payment.completed') && found.every(({ deliveries }) => deliveries.pending === 0);
  const found = await waitFor(
    async () => {
      const listed = await list();
      return isOver(listed) ? listed : undefined;
    },
    patienceMs,
    stopping,
  );
  return found ?? (await list());
}
