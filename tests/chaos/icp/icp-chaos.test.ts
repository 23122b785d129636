// The short form of `npm run chaos -- icp`. That its checker can see: icp-chaos.long.test.ts.
import { expect, test } from 'vitest';
import { unlessStill } from '../harness/unless-still.ts';
import { runIcpChaos } from './run-icp.ts';

const KINDS = [
  'settlement killed after move',
  'settlement killed before drop',
  'settlement killed before answer',
  'api killed after ask',
  'database crashed',
  'boundary forges blocks',
];

/** One fault may wait for payments to gather and for the first that counts after it. */
const STILL_MS = 180_000;

test('payments on the Internet Computer while every part breaks once: each block counts once, no forged one, no status that lies', async () => {
  const plan = { payments: 18, faults: KINDS.length, seed: 21, kinds: KINDS };
  const result = await unlessStill(STILL_MS, (progress) => runIcpChaos(plan, progress));
  const { violations, shortest, struck, ...figures } = result;
  console.log(JSON.stringify(figures));
  expect({ violations: violations.slice(0, 10), shortest }).toEqual({ violations: [], shortest: [] });
  expect(new Set(struck.map(({ kind }) => kind))).toEqual(new Set(KINDS));
  expect(result.completed).toBeGreaterThan(12);
  expect(result.mismatched).toBeGreaterThan(3);
  expect(result.refunds.completed).toBeGreaterThan(0);
});
