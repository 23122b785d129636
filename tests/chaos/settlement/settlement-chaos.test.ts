// The short form of `npm run chaos -- settlement`. That its checker can see: settlement-chaos.long.test.ts.
import { expect, test } from 'vitest';
import { unlessStill } from '../harness/unless-still.ts';
import { runSettlementChaos } from './run-settlement.ts';

const KINDS = [
  'api killed after claim',
  'settlement killed after store',
  'settlement killed after broadcast',
  'settlement killed before record',
  'database crashed',
  'engines emptied',
  'nodes err after broadcast',
  'two heads',
  'api killed after submit',
  'settlement killed after completion',
];

/** One fault may wait a minute for payments to gather and a minute for the first that completes after it. */
const STILL_MS = 180_000;

test('1,000 payments and refunds while every part breaks once: none lost, none twice, no status that lies, books as the chain', async () => {
  const plan = { payments: 1_000, faults: 10, seed: 21, kinds: KINDS };
  const result = await unlessStill(STILL_MS, (progress) => runSettlementChaos(plan, progress));
  const { violations, shortest, struck, ...figures } = result;
  console.log(JSON.stringify(figures));
  expect({ violations: violations.slice(0, 10), shortest }).toEqual({ violations: [], shortest: [] });
  expect(new Set(struck.map(({ kind }) => kind))).toEqual(new Set(KINDS));
  expect(result.completed).toBe(result.payments);
  expect(result.refunds.completed).toBeGreaterThan(60);
  expect(result.refunds.odd).toBeGreaterThan(5);
  expect(result.inFlightP50).toBeGreaterThanOrEqual(50);
});
