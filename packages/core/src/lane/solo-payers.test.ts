import { expect, test } from 'vitest';
import { UNSETTLED_OUTCOMES } from './judge-item.ts';
import type { LaneItem } from './lane.ts';
import { burnsGas, mustWait, type SoloTerms, soloTerms } from './solo-payers.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

test('the wait of a payer that burns gas again and again doubles from two minutes to an hour', () => {
  const waits: number[] = [];
  let [known, nowMs]: [SoloTerms | undefined, number] = [undefined, 0];
  for (let strike = 0; strike < 8; strike += 1) {
    known = soloTerms(known, nowMs);
    waits.push((known.nextAtMs - nowMs) / MINUTE_MS);
    nowMs = known.nextAtMs;
  }
  expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
});

test('a payer goes through the solo queue for a day after the last time, and then begins anew', () => {
  const first = soloTerms(undefined, 0);
  expect(first).toEqual({ strikes: 1, nextAtMs: 2 * MINUTE_MS, untilMs: DAY_MS });
  expect(soloTerms(first, DAY_MS - 1)).toMatchObject({ strikes: 2, untilMs: 2 * DAY_MS - 1 });
  expect(soloTerms(first, DAY_MS)).toMatchObject({ strikes: 1, untilMs: 2 * DAY_MS });
});

test('a payer waits until its time has come; a contract wallet that burned no gas never waits', () => {
  expect([mustWait(10, 9), mustWait(10, 10), mustWait(null, 0)]).toEqual([true, false, false]);
});

test('gas is burned by a refused pull and by a single transaction that reverts, and by nothing else', () => {
  const burning = UNSETTLED_OUTCOMES.filter((outcome) => burnsGas({}, { outcome }));
  expect(burning.toSorted()).toEqual(['pull_refused', 'reverted_alone']);
  expect(burnsGas({}, { outcome: 'settled' })).toBe(false);
});

test('a payer that signed a whole transaction is never set apart: its payments have a transaction of their own', () => {
  const transfer = {} as LaneItem['transfer'] & object;
  expect(burnsGas({ transfer }, { outcome: 'pull_refused' })).toBe(false);
});
