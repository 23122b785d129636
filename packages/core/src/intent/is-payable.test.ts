import type { IntentStatus } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { isPayable } from './is-payable.ts';

const NOW_MS = 1_000;

test.each<[IntentStatus, number, boolean]>([
  ['requires_payment', NOW_MS + 1, true],
  ['requires_payment', NOW_MS, false],
  ['requires_payment', NOW_MS - 1, false],
  ['processing', NOW_MS + 1, false],
  ['completed', NOW_MS + 1, false],
  ['failed', NOW_MS + 1, false],
  ['canceled', NOW_MS + 1, false],
  ['mismatched', NOW_MS + 1, true],
  ['mismatched', NOW_MS, false],
])('an intent that is %s and expires at %i is payable: %s', (status, expiresAtMs, payable) => {
  expect(isPayable({ status, expiresAtMs }, NOW_MS)).toBe(payable);
});
