import { expect, test } from 'vitest';
import { keysForgottenBefore } from './retention.ts';

test('an idempotency key is kept for 30 days', () => {
  expect(keysForgottenBefore(Date.parse('2026-11-30T00:00:00Z'))).toBe(Date.parse('2026-10-31T00:00:00Z'));
});
