import { expect, test } from 'vitest';
import { isUnattended, type LaneWork, laneHasWork } from './lane-work.ts';

const idle: LaneWork = {
  status: 'active',
  obstacle: null,
  hasPendingBatch: false,
  hasBoundPayment: false,
  hasSharedItem: false,
};
const hasWork = (facts: Partial<LaneWork>) => laneHasWork({ ...idle, ...facts });

test('a lane with nothing to send and nothing pending has no work', () => {
  expect(hasWork({})).toBe(false);
  expect(hasWork({ status: 'draining' })).toBe(false);
});

test.each(['active', 'draining', 'retired'] as const)(
  'own batches and payments are work of a lane that is %s',
  (status) => {
    expect(hasWork({ status, hasPendingBatch: true })).toBe(true);
    expect(hasWork({ status, hasBoundPayment: true })).toBe(true);
  },
);

test('the shared queue and an obstacle are work of an active lane only', () => {
  expect(hasWork({ hasSharedItem: true })).toBe(true);
  expect(hasWork({ obstacle: 'nonce_gap' })).toBe(true);
  expect(hasWork({ status: 'draining', hasSharedItem: true, obstacle: 'nonce_gap' })).toBe(false);
});

test('a lane is unattended when it sleeps, never had a heartbeat, or has none since that time', () => {
  const lane = { status: 'active', awake: true, heartbeatAtMs: 1_000 } as const;
  expect(isUnattended(lane, 1_000)).toBe(false);
  expect(isUnattended(lane, 1_001)).toBe(true);
  expect(isUnattended({ ...lane, awake: false }, 0)).toBe(true);
  expect(isUnattended({ ...lane, heartbeatAtMs: null }, 0)).toBe(true);
});

test('a draining lane can be unattended, a retired one never', () => {
  expect(isUnattended({ status: 'draining', awake: false, heartbeatAtMs: null }, 0)).toBe(true);
  expect(isUnattended({ status: 'retired', awake: false, heartbeatAtMs: null }, 0)).toBe(false);
});
