import { atomicAmount } from '@svc-pay/money';
import { evmNetwork, INTENT_STATUSES } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { isBinding, isUsable, type StoredAuthorization } from './upto-read.ts';

const NOW_SECONDS = 1_800_000_000n;
const NOW_MS = Number(NOW_SECONDS) * 1_000;
const stored: StoredAuthorization = {
  network: evmNetwork(8_453),
  asset: `0x${'70'.repeat(20)}`,
  recipient: `0x${'52'.repeat(20)}`,
  cap: atomicAmount(1_500_000n),
  validBeforeSeconds: NOW_SECONDS + 60n,
  closed: false,
};
const expired = { ...stored, validBeforeSeconds: NOW_SECONDS + 59n };

test('an authorization is usable with a minute left, unless it is closed', () => {
  expect(isUsable(stored, NOW_MS)).toBe(true);
  expect(isUsable(expired, NOW_MS)).toBe(false);
  expect(isUsable({ ...stored, closed: true }, NOW_MS)).toBe(false);
});

test('while an intent waits for payment only a usable authorization keeps another one out', () => {
  expect(isBinding(null, 'requires_payment', NOW_MS)).toBe(false);
  expect(isBinding(stored, 'requires_payment', NOW_MS)).toBe(true);
  expect(isBinding(expired, 'requires_payment', NOW_MS)).toBe(false);
});

test('once an intent no longer waits for payment its authorization keeps every other one out, also after its end', () => {
  for (const status of INTENT_STATUSES) {
    if (status === 'requires_payment') continue;
    expect(isBinding(expired, status, NOW_MS), status).toBe(true);
    expect(isBinding({ ...stored, closed: true }, status, NOW_MS), status).toBe(true);
  }
});
