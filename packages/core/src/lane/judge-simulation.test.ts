import { expect, test } from 'vitest';
import { sampleActivation } from '../testing/sample-activation.ts';
import { isOver, judgeSimulation } from './judge-simulation.ts';
import type { LaneItem } from './lane.ts';

const CHAIN_SECONDS = 1_800_000_000n;
const itemUntil = (validBeforeSeconds: bigint) => ({ validBeforeSeconds }) as LaneItem;

const outcomeOf = (validBeforeSeconds: bigint, blockSeconds: bigint | undefined) =>
  judgeSimulation([itemUntil(validBeforeSeconds)], {
    ok: true,
    outcomes: ['settled'],
    chainTimeSeconds: CHAIN_SECONDS,
    ...(blockSeconds !== undefined && { blockSeconds }),
  })[0]?.outcome;

test.each([undefined, 0n])('a payment that ends with the latest block is not sent (block time %s)', (blockSeconds) => {
  expect(outcomeOf(CHAIN_SECONDS, blockSeconds)).toBe('expired');
  expect(outcomeOf(CHAIN_SECONDS + 1n, blockSeconds)).toBe('settled');
});

test('a payment that ends before the next expected block, or with it, is not sent', () => {
  expect(outcomeOf(CHAIN_SECONDS + 11n, 12n)).toBe('expired');
  expect(outcomeOf(CHAIN_SECONDS + 12n, 12n)).toBe('expired');
  expect(outcomeOf(CHAIN_SECONDS + 13n, 12n)).toBe('settled');
});

test('the end of a payment counts also where the transaction as a whole is refused', () => {
  const refused = {
    ok: false,
    cause: 'paused',
    reason: 'paused',
    chainTimeSeconds: CHAIN_SECONDS,
    blockSeconds: 2n,
  } as const;
  const judged = judgeSimulation([itemUntil(CHAIN_SECONDS + 2n), itemUntil(CHAIN_SECONDS + 3n)], refused);
  expect(judged.map(({ outcome }) => outcome)).toEqual(['expired', 'settled']);
});

test.each(['intent_already_settled', 'authorization_used'] as const)(
  'a payment that the chain calls %s does not fail by the clock: it is held',
  (outcome) => {
    const simulation = { ok: true, outcomes: [outcome], chainTimeSeconds: CHAIN_SECONDS } as const;
    expect(judgeSimulation([itemUntil(CHAIN_SECONDS)], simulation)[0]?.outcome).toBe(outcome);
  },
);

test('a payment whose batch reverted before does not fail by the clock while no simulation says whether it is settled', () => {
  const refused = { ok: false, cause: 'paused', reason: 'paused', chainTimeSeconds: CHAIN_SECONDS } as const;
  const sentBefore = { ...itemUntil(CHAIN_SECONDS), batchLimit: 1 };
  expect(judgeSimulation([sentBefore], refused)[0]?.outcome).toBe('unsure');
  const told = { ok: true, outcomes: ['expired'], chainTimeSeconds: CHAIN_SECONDS } as const;
  expect(judgeSimulation([sentBefore], told)[0]?.outcome).toBe('expired');
});

test('a direct payment whose window ends is held and not failed, and one with a bad activation is only deferred', () => {
  const payout = { id: 1n, merchant: '0x01', feeBps: 0, splits: [], direct: sampleActivation() };
  const direct = { ...itemUntil(CHAIN_SECONDS + 9n), payout };
  const told = { ok: true, outcomes: ['withdrawn', 'settled'], chainTimeSeconds: CHAIN_SECONDS } as const;
  const judged = judgeSimulation([direct, { ...direct, validBeforeSeconds: CHAIN_SECONDS }], told);
  expect(judged.map((one) => [one.outcome, isOver(one)])).toEqual([
    ['withdrawn', false],
    ['expired', true],
  ]);
});
