import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import type { LaneItem } from '../lane/lane.ts';
import { bookPayment } from '../ledger/book-payment.ts';
import type { GasLoss } from '../ledger/gas-loss.ts';
import { bookReturn } from '../stranded/book-stranding.ts';
import type { StrandedRecord } from '../stranded/judge-stranded-transfer.ts';
import { sampleIntent, samplePayment } from '../testing/samples.ts';
import { settledPayment } from '../testing/settled-payment.ts';
import { decideReversal, type ReversalFacts } from './decide-reversal.ts';

const NOW_MS = 1_700_000_100_000;
const booking = { nowMs: NOW_MS };
const NOTHING: ReversalFacts = { befores: new Map(), entries: new Map(), losses: [], stranded: [] };

const settledOne = (action?: 'settle' | 'return') => {
  const settled = settledPayment({ gasShareAtomic: 9n });
  if (action === undefined) return settled;
  const strandedTransfer = { action, transactionId: '0x01', logIndex: 1 };
  return { ...settled, item: { ...settled.item, strandedTransfer } };
};
const beforeOf = ({ intentId, paymentId }: LaneItem) => ({
  intent: sampleIntent({ id: intentId, status: 'completed' }),
  payment: samplePayment({ id: paymentId, status: 'completed', announced: true }),
  version: 2,
  eventSequence: 3,
});
const batchOf = (items: readonly LaneItem[], settled: readonly LaneItem[] = items) => ({
  id: 'bat_a',
  items,
  settledIds: new Set<string>(settled.map(({ paymentId }) => paymentId)),
});

test.each([
  { action: undefined, settlement: 'batched' },
  { action: 'settle', settlement: 'held' },
] as const)('a completed payment (stranded: $action) is pending again, its books undone', ({ action, settlement }) => {
  const settled = settledOne(action);
  const { item } = settled;
  const { entries } = bookPayment(settled, booking);
  const reversal = decideReversal(
    batchOf([item]),
    {
      ...NOTHING,
      befores: new Map([[item.intentId, beforeOf(item)]]),
      entries: new Map([[item.paymentId, entries]]),
    },
    NOW_MS,
  );
  expect(reversal.results).toMatchObject([
    { settlement, after: { intent: { status: 'processing' }, payment: { id: item.paymentId, status: 'pending' } } },
  ]);
  expect(reversal.results[0]?.events.map(({ requestId }) => requestId)).toEqual(['bat_a']);
  expect(reversal.results[0]?.entries.map(({ reverses }) => reverses)).toEqual(entries.map(({ id }) => id));
  expect(reversal.entries).toEqual([]);
});

test('a returned transfer loses only its entries: its payment keeps its result', () => {
  const { lane, item, mined, batch } = settledOne('return');
  const entries = bookReturn({ lane, item, mined, batch, gasCostAtomic: 9n }, booking);
  const facts = { ...NOTHING, entries: new Map([[item.paymentId, entries]]) };
  const reversal = decideReversal(batchOf([item]), facts, NOW_MS);
  expect(reversal.results).toEqual([]);
  expect(reversal.entries.map(({ reverses, amountAtomic }) => [reverses, amountAtomic])).toEqual(
    entries.map(({ id, amountAtomic }) => [id, -amountAtomic]),
  );
});

test('a payment that the batch did not settle has no result to undo, and waits in the batch again', () => {
  const { item } = settledOne();
  const reversal = decideReversal(batchOf([item], []), NOTHING, NOW_MS);
  expect(reversal).toEqual({
    results: [],
    entries: [],
    losses: [],
    open: { from: 'mined', to: 'batched' },
    batchedTransfers: [],
  });
});

test('every live gas loss of the batch is reversed, once', () => {
  const loss = (amountAtomic: bigint, reverses: GasLoss['reverses'] = null): GasLoss => ({
    id: newId('ledgerEntry', NOW_MS),
    network: evmNetwork(84_532),
    relayer: '0xre',
    batchId: 'bat_a',
    transactionId: '0xaa',
    accountId: null,
    paymentId: null,
    payer: null,
    cause: 'unknown',
    amountAtomic,
    reverses,
    createdAtMs: NOW_MS,
  });
  const [live, old] = [loss(70n), loss(30n)];
  const losses = [old, loss(-30n, old.id), live];
  const reversal = decideReversal(batchOf([]), { ...NOTHING, losses }, NOW_MS);
  expect(reversal.losses.map(({ reverses, amountAtomic }) => [reverses, amountAtomic])).toEqual([[live.id, -70n]]);
});

test('stranded transfers that the batch mined, ended or blocked by a revert wait in it again', () => {
  const record = (status: StrandedRecord['status'], reason: string | null): StrandedRecord => {
    const { accountId, mode, paymentId } = settledOne('return').item;
    return { accountId, mode, paymentId, status, reason };
  };
  const again = [record('mined', 'no_evidence'), record('done', null), record('blocked', 'reverted')];
  const stranded = [...again, record('blocked', 'malformed')];
  expect(decideReversal(batchOf([]), { ...NOTHING, stranded }, NOW_MS).batchedTransfers).toEqual(again);
});
