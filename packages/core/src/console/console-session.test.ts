import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import {
  type ConsoleSession,
  FORMER_TOKEN_GRACE_MS,
  FRESH_CHECK_MS,
  isFresh,
  judgeSession,
  rotationIsDue,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
} from './console-session.ts';

const NOW = 1_794_744_000_000;
const hash = (byte: number) => new Uint8Array(32).fill(byte);
const [CURRENT, NEXT, PREVIOUS] = [hash(1), hash(2), hash(3)];
const session: ConsoleSession = {
  id: newId('consoleSession', NOW),
  personId: newId('person', NOW),
  personName: 'Grace',
  personDisabled: false,
  operatorView: false,
  tokenHash: CURRENT,
  rotatedAtMs: NOW,
  nextTokenHash: NEXT,
  nextIssuedAtMs: NOW,
  previousTokenHash: PREVIOUS,
  previousUntilMs: NOW + FORMER_TOKEN_GRACE_MS,
  keySalt: hash(9),
  createdAtMs: NOW,
  lastSeenAtMs: NOW,
  expiresAtMs: NOW + SESSION_LIFE_MS,
  verifiedAtMs: NOW,
  checkId: newId('passkeyCheck', NOW),
  endedAtMs: null,
};
const judge = (change: Partial<ConsoleSession>, shown = CURRENT, nowMs = NOW) =>
  judgeSession({ ...session, ...change }, shown, nowMs);

test.each([
  ['current', CURRENT],
  ['next', NEXT],
  ['previous', PREVIOUS],
] as const)('the %s token opens the session', (shown, token) => {
  expect(judge({}, token)).toMatchObject({ alive: true, shown, freshUntilMs: NOW + FRESH_CHECK_MS });
});

test('a token that was replaced ends the session when it comes back after the grace', () => {
  const last = NOW + FORMER_TOKEN_GRACE_MS;
  expect(judge({}, PREVIOUS, last - 1)).toMatchObject({ alive: true });
  expect(judge({}, PREVIOUS, last)).toEqual({ alive: false, why: 'secret_reused' });
});

test.each([
  ['ended', { endedAtMs: NOW }, NOW],
  ['ended', { personDisabled: true }, NOW],
  ['expired', { lastSeenAtMs: NOW + SESSION_LIFE_MS }, NOW + SESSION_LIFE_MS],
  ['idle', {}, NOW + SESSION_IDLE_MS],
] as const)('a session is over: %s', (why, change, nowMs) => {
  expect(judge(change, CURRENT, nowMs)).toEqual({ alive: false, why });
});

test('a session that is used lives to its end and no longer', () => {
  const last = NOW + SESSION_LIFE_MS;
  expect(judge({ lastSeenAtMs: last - 1 }, CURRENT, last - 1)).toMatchObject({ alive: true });
  expect(judge({ lastSeenAtMs: last }, CURRENT, last)).toEqual({ alive: false, why: 'expired' });
});

test('a check is fresh for five minutes', () => {
  expect(isFresh(session, NOW + 299_999)).toBe(true);
  expect(isFresh(session, NOW + 300_000)).toBe(false);
});

test('a token is replaced after an hour and after a check, once for all requests that meet', () => {
  const due = (change: Partial<ConsoleSession>, shown: 'current' | 'next' | 'previous', checked = false) =>
    rotationIsDue({ ...session, nextIssuedAtMs: null, ...change }, shown, NOW, { checked });
  expect(due({}, 'current')).toBe(false);
  expect(due({ rotatedAtMs: NOW - 3_600_000 }, 'current')).toBe(true);
  expect(due({ rotatedAtMs: NOW - 3_600_000, nextIssuedAtMs: NOW - 59_999 }, 'current')).toBe(false);
  expect(due({ rotatedAtMs: NOW - 3_600_000, nextIssuedAtMs: NOW - 60_000 }, 'current')).toBe(true);
  expect(due({ rotatedAtMs: NOW - 3_600_000 }, 'next')).toBe(false);
  expect(due({}, 'current', true)).toBe(true);
  expect(due({}, 'previous', true)).toBe(false);
});
