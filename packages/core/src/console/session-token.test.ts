import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseApiKey } from '../account/api-key.ts';
import {
  newSessionToken,
  readSessionBearer,
  readSessionToken,
  rotateSessionToken,
  SESSION_BEARER_PREFIX,
  type SessionKeyUse,
  sessionKeyText,
  sessionTokenHash,
} from './session-token.ts';

const token = newSessionToken(randomBytes);
const salt = randomBytes(32);
const use: SessionKeyUse = { accountId: 'acct_a', mode: 'test', level: 'base', checkId: 'chk_a', rightsId: 'r_a' };
const textOf = (changed: Partial<SessionKeyUse>) => sessionKeyText(token, salt, { ...use, ...changed });

test('a token is read back, as cookie and as bearer, and nothing else is read as one', () => {
  expect(readSessionToken(token)).toBe(token);
  expect(readSessionBearer(`${SESSION_BEARER_PREFIX}${token}`)).toBe(token);
  for (const text of ['', token.slice(1), `${token}A`, `${token.slice(0, -1)}*`, token.padEnd(88, '=')])
    expect(readSessionToken(text)).toBeUndefined();
  expect(readSessionBearer(token)).toBeUndefined();
});

test('a token has one spelling', () => {
  const last = token.slice(-1);
  const spellings = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    .split('')
    .filter((character) => character !== last && readSessionToken(token.slice(0, -1) + character) !== undefined);
  for (const character of spellings) {
    const other = readSessionToken(token.slice(0, -1) + character);
    expect(other && Buffer.from(sessionTokenHash(other)).equals(sessionTokenHash(token))).toBe(false);
  }
});

test('a rotated token has another hash and derives the same API keys', () => {
  const rotated = rotateSessionToken(token, randomBytes);
  expect(Buffer.from(sessionTokenHash(rotated)).equals(sessionTokenHash(token))).toBe(false);
  expect(sessionKeyText(rotated, salt, use)).toBe(textOf({}));
});

test('a session key is an API key of its mode, another one for each use, session and salt', () => {
  expect(parseApiKey(textOf({ mode: 'live' }))).toMatchObject({ kind: 'secret', mode: 'live' });
  const texts = [
    textOf({}),
    textOf({ accountId: 'acct_b' }),
    textOf({ mode: 'live' }),
    textOf({ level: 'fresh' }),
    textOf({ rightsId: 'r_b' }),
    textOf({ level: 'fresh', checkId: 'chk_b' }),
    sessionKeyText(newSessionToken(randomBytes), salt, use),
    sessionKeyText(token, randomBytes(32), use),
  ];
  expect(new Set(texts).size).toBe(texts.length);
  expect(textOf({ checkId: 'chk_b' })).toBe(textOf({}));
});
