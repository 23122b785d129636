import { expect, test } from 'vitest';
import { judgeRevocation, judgeRoll, judgeSigner, type KeyToChange, keyStateAt, signsAtOnce } from './key-change.ts';

const NOW_MS = 1_000;
const key = (change: Partial<KeyToChange> = {}): KeyToChange => ({
  id: 'key_1',
  kind: 'secret',
  signing: false,
  scoped: false,
  expiresAtMs: null,
  revoked: false,
  ...change,
});

test.each([
  [{}, 'usable'],
  [{ expiresAtMs: NOW_MS + 1 }, 'usable'],
  [{ expiresAtMs: NOW_MS }, 'expired'],
  [{ revoked: true }, 'revoked'],
  [{ revoked: true, expiresAtMs: NOW_MS }, 'revoked'],
] as const)('a key with %o is %s', (change, state) => {
  expect(keyStateAt(key(change), NOW_MS)).toBe(state);
});

test('the first secret key signs at once; a second one, a publishable one and one with scopes does not', () => {
  expect(signsAtOnce(key(), undefined)).toBe(true);
  expect(signsAtOnce(key(), key({ signing: true }))).toBe(false);
  expect(signsAtOnce(key({ kind: 'publishable' }), undefined)).toBe(false);
  expect(signsAtOnce(key({ scoped: true }), undefined)).toBe(false);
});

test.each([
  [undefined, 'no_signing_key'],
  [key({ signing: true }), 'roll'],
  [key({ signing: true, expiresAtMs: NOW_MS + 1 }), 'roll_in_progress'],
] as const)('with %o as signer a roll is: %s', (signing, verdict) => {
  expect(judgeRoll(signing)).toBe(verdict);
});

test.each([
  [{}, false, 'revoke'],
  [{ signing: true }, false, 'key_signs'],
  [{ signing: true }, true, 'revoke'],
  [{ revoked: true }, false, 'revoked_before'],
  [{ revoked: true }, true, 'revoked_before'],
] as const)('revoking a key with %o, now %s: %s', (change, now, verdict) => {
  expect(judgeRevocation(key(change), { now })).toBe(verdict);
});

test.each([
  [{}, 'sign'],
  [{ signing: true }, 'signs_already'],
  [{ kind: 'publishable' }, 'key_not_secret'],
  [{ scoped: true }, 'key_has_scopes'],
  [{ revoked: true }, 'key_not_usable'],
  [{ expiresAtMs: NOW_MS }, 'key_not_usable'],
] as const)('signing with a key with %o: %s', (change, verdict) => {
  expect(judgeSigner(key(change), NOW_MS)).toBe(verdict);
});
