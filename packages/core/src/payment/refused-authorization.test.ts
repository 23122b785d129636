import { expect, test } from 'vitest';
import { hasRoomForRefused, isWatched, MAX_REFUSED_INTENTS, MAX_UNFUNDED } from './refused-authorization.ts';

const NOW_SECONDS = 1_000_000;
const WEEK = 7 * 86_400;

test.each([
  ['expired longer ago than a chain is behind', -60, false],
  ['that a chain behind us may still take', -59, true],
  ['with the usual window', 420, true],
  ['of a week', WEEK, true],
  ['of more than a week, which would be watched for years', WEEK + 1, false],
])('a refused authorization %s', (_, left, watched) => {
  expect(isWatched({ validBefore: String(NOW_SECONDS + left) }, NOW_SECONDS * 1_000 + 999)).toBe(watched);
});

test.each([
  ['the first', false, 0, 0, true],
  ['of an empty wallet, the last that the intent keeps', false, MAX_UNFUNDED - 1, 0, true],
  ['of an empty wallet, one more', false, MAX_UNFUNDED, 0, false],
  ['of a wallet with money, however many others there are', true, MAX_UNFUNDED, 0, true],
  ['for the last intent that it is kept for', true, 0, MAX_REFUSED_INTENTS - 1, true],
  ['for one more intent', true, 0, MAX_REFUSED_INTENTS, false],
])('a refused authorization is stored: %s', (_, funded, unfundedOfIntent, intentsOfClaim, stored) => {
  expect(hasRoomForRefused(funded, { unfundedOfIntent, intentsOfClaim })).toBe(stored);
});
