import type { LaneItem } from '@svc-pay/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleItem } from '../testing/sample-item.ts';
import { fitBatch, MAX_BATCH_GAS } from './fit-batch.ts';
import { DEFAULT_CALL_GAS, meterOf } from './gas-limit.ts';

/**
 * The least gas limit with which a batch settles, by shape, on Circle's FiatTokenV2_2 behind its proxy, as
 * docs/decisions/0069-pacing-by-gas.md lists it. `base` includes what the processor requires to be left at its last call.
 */
const MEASURED = {
  base: 355_000,
  payment: 56_300,
  share: 570,
  refund: 6_500,
  word: 20_800,
  payout: 4_000,
  split: 1_700,
  firstLeg: 30_300,
  nextLeg: 8_500,
};
const MOST_GAS_OF_A_TRANSACTION = 16_777_216n;

function measuredNeed(items: readonly LaneItem[]): number {
  const payouts = new Map(items.map(({ payout }) => [payout.id, payout]));
  const legs = [...payouts.values()].flatMap(({ merchant, splits }) => [merchant, ...splits.map(({ to }) => to)]);
  const first = new Set(legs).size;
  const sum = (of: (item: LaneItem) => number) => items.reduce((total, item) => total + of(item), 0);
  return (
    MEASURED.base +
    sum(({ payout }) => MEASURED.payment + MEASURED.share * payout.splits.length) +
    sum(({ settledAtomic, capAtomic }) => (settledAtomic < capAtomic ? MEASURED.refund : 0)) +
    new Set(items.map(({ intentCode }) => intentCode >> 8n)).size * MEASURED.word +
    payouts.size * MEASURED.payout +
    (legs.length - payouts.size) * MEASURED.split +
    first * MEASURED.firstLeg +
    (legs.length - first) * MEASURED.nextLeg
  );
}

/** Payouts of few or many merchants, whose splits go to wallets of their own or to shared ones. */
const payouts = fc
  .array(fc.record({ splits: fc.nat(8), shared: fc.boolean() }), { minLength: 1, maxLength: 220 })
  .map((shapes) =>
    shapes.map(({ splits, shared }, id) => ({
      id: BigInt(id),
      merchant: `0xd${id}`,
      feeBps: 50,
      splits: Array.from({ length: splits }, (_, index) => ({
        to: shared ? `0xe${index}` : `0xf${id}.${index}`,
        bps: 1,
      })),
    })),
  );
const queues = payouts.chain((known) =>
  fc
    .array(
      fc.record({
        payout: fc.constantFrom(...known),
        payer: fc.nat(400),
        ownWord: fc.boolean(),
        upTo: fc.boolean(),
      }),
      { minLength: 1, maxLength: 220 },
    )
    .map((wanted) =>
      wanted.map(({ payout, payer, ownWord, upTo }, index) =>
        sampleItem(index, {
          payout,
          payer: `0xc${payer}`,
          intentCode: ownWord ? BigInt(index + 1) << 8n : BigInt(index % 256),
          settledAtomic: upTo ? 4n : 10n,
        }),
      ),
    ),
);

test('the metered gas is a tenth above what was measured, whatever the shapes of a batch', () => {
  fc.assert(
    fc.property(queues, (queue) => {
      const { items } = fitBatch(queue, DEFAULT_CALL_GAS);
      expect(Number(meterOf(items, DEFAULT_CALL_GAS).needed())).toBeGreaterThan(1.1 * measuredNeed(items));
    }),
    { numRuns: 300 },
  );
});

test('a batch never asks for more than a transaction may have, and is full when the next payment would', () => {
  fc.assert(
    fc.property(queues, (queue) => {
      const { items, filled } = fitBatch(queue, DEFAULT_CALL_GAS);
      const next = queue.slice(0, items.length + 1);
      const asked = meterOf(items, DEFAULT_CALL_GAS).total();
      expect(asked <= MAX_BATCH_GAS && MAX_BATCH_GAS <= MOST_GAS_OF_A_TRANSACTION).toBe(true);
      expect(filled === 1).toBe(items.length === 200 || meterOf(next, DEFAULT_CALL_GAS).total() > MAX_BATCH_GAS);
    }),
    { numRuns: 300 },
  );
});

test('a batch holds what its merchants need: 122 of new ones, 95 with two shared splits, 71 with two of their own', () => {
  const fitted = (splitsOf: (id: number) => readonly string[]) => {
    const queue = Array.from({ length: 200 }, (_, id) =>
      sampleItem(id, {
        intentCode: BigInt(id),
        payout: {
          id: BigInt(id),
          merchant: `0xd${id}`,
          feeBps: 50,
          splits: splitsOf(id).map((to) => ({ to, bps: 1 })),
        },
      }),
    );
    return fitBatch(queue, DEFAULT_CALL_GAS).items.length;
  };
  expect(fitted(() => [])).toBe(122);
  expect(fitted(() => ['0xe0', '0xe1'])).toBe(95);
  expect(fitted((id) => [`0xe${id}`, `0xf${id}`])).toBe(71);
});
