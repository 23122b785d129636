import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import type { LaneItem } from '../lane/lane.ts';
import type { MinedBatch, MinedItem } from '../lane/lane-chain.ts';
import { settledPayment } from '../testing/settled-payment.ts';
import { bookLosses, type GasLoss, liveLosses, lostItems, reverseLosses, splitGas } from './gas-loss.ts';

const NOW_MS = 1_700_000_000_000;
const source = { network: evmNetwork(84_532), relayer: '0xre', batchId: 'bat_a', transactionId: '0xaa' } as const;

const itemsOf = (count: number): readonly LaneItem[] =>
  Array.from({ length: count }, (_, index) => ({
    ...settledPayment({}).item,
    paymentId: newId('payment', NOW_MS + index),
    payer: `0xAB${index}`,
  }));

function minedOf(items: readonly LaneItem[], outcomes: readonly MinedItem['outcome'][], gasCostAtomic = 1_000n) {
  const parts = items.map(({ paymentId }, index): MinedItem => {
    const outcome = outcomes[index] ?? 'no_evidence';
    return outcome === 'settled' ? { ...settledPayment({}).mined, paymentId } : { paymentId, outcome };
  });
  const reverted = outcomes.every((outcome) => outcome === 'reverted');
  return { batchId: 'bat_a', gasCostAtomic, reverted, items: parts } satisfies Partial<MinedBatch>;
}

const sum = (losses: readonly { readonly amountAtomic: bigint }[]) =>
  losses.reduce((all, { amountAtomic }) => all + amountAtomic, 0n);

test('of one settled and three failed payments each failed one is a loss of its payer and account, with its cause', () => {
  const items = itemsOf(4);
  const { settled, lost } = splitGas(minedOf(items, ['expired', 'settled', 'pull_refused', 'expired'], 800n), items);
  expect(settled).toEqual(new Map([[items[1]?.paymentId, 100n]]));
  expect(lost).toEqual(
    [
      { index: 0, cause: 'expired', amountAtomic: 100n },
      { index: 2, cause: 'pull_refused', amountAtomic: 500n },
      { index: 3, cause: 'expired', amountAtomic: 100n },
    ].map(({ index, ...loss }) => {
      const { accountId, paymentId } = items[index]!;
      return { accountId, paymentId, payer: `0xab${index}`, codeHash: null, count: 1, ...loss };
    }),
  );
});

test('all that a reverted transaction cost is lost, in equal parts', () => {
  const items = itemsOf(3);
  const { settled, lost } = splitGas(minedOf(items, ['reverted', 'reverted', 'reverted'], 10n), items);
  expect(settled.size).toBe(0);
  expect(lost.map(({ cause, amountAtomic }) => [cause, amountAtomic])).toEqual([
    ['reverted', 4n],
    ['reverted', 3n],
    ['reverted', 3n],
  ]);
});

test('what settled whole is no loss, and gas that costs nothing is no line', () => {
  const items = itemsOf(2);
  expect(splitGas(minedOf(items, ['settled', 'settled']), items).lost).toEqual([]);
  const free = splitGas(minedOf(items, ['settled', 'expired'], 0n), items);
  expect(bookLosses(source, free.lost, { nowMs: NOW_MS })).toEqual([]);
});

test('items of another order are a bug of the caller', () => {
  const items = itemsOf(2);
  expect(() => splitGas(minedOf(items, ['settled', 'expired']), items.toReversed())).toThrow(/is payment \w+, not /);
});

test('a line that is taken back is nothing together with what takes it back, and is taken back once', () => {
  const items = itemsOf(3);
  const { lost } = splitGas(minedOf(items, ['expired', 'settled', 'pull_refused']), items);
  const booked = bookLosses(source, lost, { nowMs: NOW_MS });
  const back = reverseLosses(booked, { nowMs: NOW_MS + 1 });
  expect(back.map(({ reverses }) => reverses)).toEqual(booked.map(({ id }) => id));
  expect(sum([...booked, ...back])).toBe(0n);
  expect(liveLosses([...booked, ...back])).toEqual([]);
  expect(reverseLosses([...booked, ...back], { nowMs: NOW_MS + 2 })).toEqual([]);
});

test('payments that a batch does not list any more are named by its earlier lines; the rest is nobody’s', () => {
  const items = itemsOf(5);
  const before = minedOf(items, Array(5).fill('reverted'), 50n);
  const earlier: readonly GasLoss[] = bookLosses(source, splitGas(before, items).lost, { nowMs: NOW_MS }).slice(0, 3);
  const [kept] = items;
  const now = { ...minedOf([kept!], ['reverted'], 70n), reverted: true };
  const besides = lostItems(5, now, earlier);
  expect(besides.map(({ paymentId, cause, count }) => [paymentId, cause, count])).toEqual([
    [items[1]?.paymentId, 'reverted', 1],
    [items[2]?.paymentId, 'reverted', 1],
    [null, 'reverted', 2],
  ]);
  const { lost } = splitGas(now, [kept!], besides);
  expect(lost.map(({ paymentId, amountAtomic }) => [paymentId, amountAtomic])).toEqual([
    [kept?.paymentId, 14n],
    [items[1]?.paymentId, 14n],
    [items[2]?.paymentId, 14n],
    [null, 28n],
  ]);
});

test('a batch that lists all that it carried has nothing besides', () => {
  const items = itemsOf(2);
  expect(lostItems(2, minedOf(items, ['settled', 'expired']), [])).toEqual([]);
});
