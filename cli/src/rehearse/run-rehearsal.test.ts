// The last part of a rehearsal, with an account and a chain that answer from memory.
import { expect, test } from 'vitest';
import { uptoFacts } from '../testing/upto-facts.ts';
import { checkPayment } from './check-payment.ts';
import type { PaymentFacts } from './payment-facts.ts';
import type { Rehearsal } from './rehearsal.ts';
import { finishFlows } from './run-rehearsal.ts';

/** What the account's API says when the block is final. */
function rehearsalOf({ payment, receipt, bookings, entries, events }: PaymentFacts, seen: string[]): Rehearsal {
  const pageOf = (rows: readonly unknown[]) =>
    async function* () {
      yield { rows, cursor: '' };
    };
  const api = {
    payments: { get: async () => ({ ok: true, payment }) },
    exports: { eachPaymentsPage: pageOf(bookings), eachLedgerPage: pageOf(entries) },
    events: { list: async () => ({ ok: true, data: events, hasMore: false }) },
  };
  const chain = {
    block: async (at: unknown) => {
      seen.push(`block ${String(at)}`);
      return { number: receipt.blockNumber, hash: receipt.blockHash };
    },
    receipt: async () => receipt,
  };
  const stopping = new AbortController().signal;
  return { chain, stopping, merchantOf: () => ({ api }) } as unknown as Rehearsal;
}

/** Facts when the payment was made, and what is said when its block is final. */
async function finished(then: PaymentFacts) {
  const facts = uptoFacts();
  const report = { flow: 'upto', ok: true, signed: '50000', charged: '10000', checks: checkPayment(facts) } as const;
  const collect = { start: { payments: undefined, ledger: undefined }, patienceMs: 0 };
  const made = [{ report, seen: { facts, minedAtMs: 0, collect } }];
  const seen: string[] = [];
  await finishFlows(rehearsalOf(then, seen), made, { patienceMs: 1_000 }, async () => {
    seen.push('ended what is open');
  });
  const checks = made[0]?.report.checks ?? [];
  return { red: checks.flatMap(({ id, ok }) => (ok ? [] : [id])), ok: made[0]?.report.ok, seen };
}

test('nothing came twice: green; what is open was ended before finality was waited for', async () => {
  const { red, ok, seen } = await finished(uptoFacts());
  expect({ red, ok }).toEqual({ red: [], ok: true });
  expect(seen.slice(0, 2)).toEqual(['ended what is open', 'block finalized']);
});

test('a second booking that came later is red', async () => {
  const { bookings, ...good } = uptoFacts();
  const { red, ok } = await finished({ ...good, bookings: [...bookings, ...bookings] });
  expect({ red, ok }).toEqual({ red: ['books are the same when final'], ok: false });
});

test('a second payment.completed that came later is red', async () => {
  const { events, ...good } = uptoFacts();
  const second = { ...events[0], sequence: 5 } as PaymentFacts['events'][number];
  const { red, ok } = await finished({ ...good, events: [...events, second] });
  expect({ red, ok }).toEqual({ red: ['events are the same when final'], ok: false });
});
