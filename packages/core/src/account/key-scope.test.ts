import { expect, test } from 'vitest';
import { allowsScope, KEY_SCOPES, readScopes } from './key-scope.ts';

test('a key without scopes may do everything, a key with scopes only what they name', () => {
  for (const scope of KEY_SCOPES) {
    expect(allowsScope(undefined, scope)).toBe(true);
    expect(allowsScope([], scope)).toBe(false);
    for (const other of KEY_SCOPES) expect(allowsScope([other], scope)).toBe(other === scope);
  }
});

test('scopes are read in one order and each once', () => {
  expect(readScopes('secret', ['webhooks', 'read', 'read'])).toEqual({ ok: true, scopes: ['read', 'webhooks'] });
  expect(readScopes('publishable', ['charge', 'read'])).toEqual({ ok: true, scopes: ['read', 'charge'] });
});

test.each([
  ['secret', [], 'scope_unknown'],
  ['secret', ['everything'], 'scope_unknown'],
  ['secret', ['read', 'Read'], 'scope_unknown'],
  ['publishable', ['read', 'webhooks'], 'scope_not_of_kind'],
  ['publishable', ['refund'], 'scope_not_of_kind'],
] as const)('a %s key can’t have the scopes %o: %s', (kind, names, code) => {
  expect(readScopes(kind, names)).toEqual({ ok: false, code });
});
