import type { ActivationNotice } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createActivationNotices } from './announce-activations.ts';

const NOW_MS = Date.parse('2026-11-17T12:00:00Z');
const notice = (payoutId: string, activeFrom: string): ActivationNotice => ({
  accountId: 'acct_1',
  network: 'eip155:84532',
  payoutId,
  wallet: `0x${'66'.repeat(20)}`,
  activeFrom,
});

test('a change that can still be ended is told as such, any other activation as one in use', async () => {
  const [ahead, inUse] = [notice('2', '2026-11-17T12:00:01.000Z'), notice('1', '2026-11-17T12:00:00.000Z')];
  const told: unknown[] = [];
  const { run } = createActivationNotices(async (tell) => [ahead, inUse].forEach(tell), {
    clock: { nowMs: () => NOW_MS },
    log: (event, details) => told.push([event, details]),
  });
  await run();
  expect(told).toEqual([
    ['payout_change_pending', ahead],
    ['payout_activated', inUse],
  ]);
});
