import { expect, test } from 'vitest';
import { judgeClosing } from './judge-closing.ts';

test.each([
  [{ status: 'active', openCaps: 0 }, false, 'close'],
  [{ status: 'active', openCaps: 1 }, false, 'account_has_open_caps'],
  [{ status: 'active', openCaps: 1 }, true, 'close'],
  [{ status: 'closed', openCaps: 1 }, false, 'closed_before'],
  [{ status: 'closed', openCaps: 0 }, true, 'closed_before'],
  [{ status: 'moving', openCaps: 0 }, true, 'account_moving'],
  [{ status: 'moved', openCaps: 0 }, true, 'account_moved'],
] as const)('closing an account with %o, now %s: %s', (facts, now, verdict) => {
  expect(judgeClosing(facts, { now })).toBe(verdict);
});
