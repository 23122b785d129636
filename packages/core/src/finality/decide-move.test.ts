import { expect, test } from 'vitest';
import type { LaneItem } from '../lane/lane.ts';
import type { MinedBatch, MinedItem } from '../lane/lane-chain.ts';
import { bookPayment } from '../ledger/book-payment.ts';
import { bookLosses, splitGas } from '../ledger/gas-loss.ts';
import type { LedgerEntry } from '../ledger/ledger-entry.ts';
import { settledPayment } from '../testing/settled-payment.ts';
import { decideMove, type MoveFacts } from './decide-move.ts';
import type { RecordedBatch } from './finality-store.ts';

const NOW_MS = 1_700_000_100_000;
const booking = { nowMs: NOW_MS };
const OPTIONS = { nowMs: NOW_MS, gasCoin: undefined };
const settled = settledPayment({});
const lost = settledPayment({}).item;
const NOTHING: MoveFacts = { itemCount: 1, losses: [], entries: new Map(), rates: undefined };

function recorded(items: readonly LaneItem[]): RecordedBatch {
  return {
    id: 'bat_a',
    ...settled.lane,
    nonce: 1n,
    status: 'broadcast',
    sentAtMs: 0,
    transactionId: '0xold',
    transactions: [],
    items,
    settledIds: new Set([settled.item.paymentId]),
  };
}
function minedAs(items: readonly MinedItem[], gasCostAtomic: bigint): MinedBatch {
  return {
    batchId: 'bat_a',
    transactionId: '0xnew',
    blockNumber: 9n,
    blockHash: '0xblock',
    confirmations: 1n,
    reverted: false,
    gasCostAtomic,
    feeRecipient: settled.batch.feeRecipient,
    items,
  };
}
const moved: MinedItem = { ...settled.mined, logIndex: 40, transferLogIndex: 39 };
const total = (entries: readonly LedgerEntry[], party: string, asset: string) =>
  entries
    .filter((entry) => entry.party === party && entry.asset === asset)
    .reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);

test('a completed payment is booked where it is now, and what was booked before is reversed', () => {
  const old = bookPayment({ ...settled, gasShareAtomic: 3n }, booking).entries;
  const facts = { ...NOTHING, entries: new Map([[settled.item.paymentId, old]]) };
  const { entries, payments, losses } = decideMove(recorded([settled.item]), minedAs([moved], 7n), facts, OPTIONS);
  expect(entries.filter(({ reverses }) => reverses !== null).map(({ reverses }) => reverses)).toEqual(
    old.map(({ id }) => id),
  );
  const fresh = entries.filter(({ reverses }) => reverses === null);
  expect(new Set(fresh.map(({ transactionId }) => transactionId))).toEqual(new Set(['0xnew']));
  expect(total([...old, ...entries], 'network', 'native')).toBe(7n);
  expect(total([...old, ...entries], settled.item.payer, settled.item.asset)).toBe(-settled.item.capAtomic);
  expect(payments).toEqual([
    {
      item: settled.item,
      transactionId: '0xnew',
      logIndex: 40,
      transactionSplitId: '0xnew:40',
      externalCostAtomic: 0n,
    },
  ]);
  expect(losses).toEqual([]);
});

test('a returned transfer is booked as a return, and its payment keeps its result', () => {
  const item: LaneItem = {
    ...settled.item,
    strandedTransfer: { action: 'return', transactionId: '0x01', logIndex: 1 },
  };
  const { entries, payments } = decideMove(recorded([item]), minedAs([moved], 7n), NOTHING, OPTIONS);
  expect(payments).toEqual([]);
  expect(entries.map(({ accountName }) => accountName)).toEqual(['stranded', 'refund', 'network_cost', 'network_cost']);
  expect(total(entries, 'network', 'native')).toBe(7n);
});

test('a payment that did not settle bears its loss in the new block instead of the old one', () => {
  const items = [settled.item, lost];
  const outcomes: readonly MinedItem[] = [moved, { paymentId: lost.paymentId, outcome: 'expired' }];
  const batch = recorded(items);
  const source = { ...batch, batchId: batch.id, transactionId: '0xold' };
  const old = bookLosses(source, splitGas(minedAs(outcomes, 100n), items).lost, booking);
  const facts = { ...NOTHING, itemCount: 2, losses: old };
  const { entries, payments, losses } = decideMove(batch, minedAs(outcomes, 60n), facts, OPTIONS);
  expect(losses.map(({ paymentId, amountAtomic, transactionId }) => [paymentId, amountAtomic, transactionId])).toEqual([
    [lost.paymentId, -50n, '0xold'],
    [lost.paymentId, 30n, '0xnew'],
  ]);
  expect(payments.map(({ item }) => item)).toEqual([settled.item]);
  expect(total(entries, 'network', 'native')).toBe(30n);
});

test('a payment that the batch no longer lists keeps its part of the cost', () => {
  const facts = { ...NOTHING, itemCount: 3 };
  const { losses } = decideMove(recorded([settled.item]), minedAs([moved], 110n), facts, OPTIONS);
  expect(losses.map(({ paymentId, cause, amountAtomic }) => [paymentId, cause, amountAtomic])).toEqual([
    [null, 'unknown', 100n],
  ]);
});
