import { expect, test } from 'vitest';
import { hasRoomForCap } from './unsettled-limits.ts';

const LIMITS = { perPayer: 50, perAccount: 100 };

test.each([
  [{ ofPayer: 0, ofAccount: 0 }, true],
  [{ ofPayer: 49, ofAccount: 49 }, true],
  [{ ofPayer: 50, ofAccount: 50 }, false],
  // Wallets with many caps have used up the account's limit: a payer with none is not refused for them.
  [{ ofPayer: 1, ofAccount: 100 }, false],
  [{ ofPayer: 0, ofAccount: 100 }, true],
  [{ ofPayer: 0, ofAccount: 199 }, true],
  [{ ofPayer: 0, ofAccount: 200 }, false],
])('with %j open caps another may be confirmed: %s', (open, may) => {
  expect(hasRoomForCap(open, LIMITS)).toBe(may);
});
