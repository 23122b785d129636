import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SigningCandidate, signingKeyAt } from './signing-key.ts';

const NOW_MS = 1_000;
const key = (id: string, change: Partial<SigningCandidate> = {}): SigningCandidate => ({
  id,
  signing: false,
  expiresAtMs: null,
  revoked: false,
  ...change,
});
const old = key('key_1', { signing: true, expiresAtMs: 2_000 });
const fresh = key('key_2');

test('a rolled key signs until its overlap ends, then the new one does', () => {
  expect(signingKeyAt([old, fresh], 1_999)).toBe(old);
  expect(signingKeyAt([old, fresh], 2_000)).toBe(fresh);
});

test('the key the merchant switched to signs, though the old one is still valid', () => {
  const switched = [key('key_1', { expiresAtMs: 2_000 }), key('key_2', { signing: true }), key('key_3')];
  expect(signingKeyAt(switched, NOW_MS)?.id).toBe('key_2');
});

test('the signing key is a usable key, and there is one as long as any key is usable', () => {
  const keys = fc.uniqueArray(
    fc.record({
      id: fc.string({ minLength: 1 }),
      signing: fc.boolean(),
      expiresAtMs: fc.option(fc.nat({ max: 2_000 })),
      revoked: fc.boolean(),
    }),
    { selector: ({ id }) => id },
  );
  fc.assert(
    fc.property(keys, (list) => {
      const usable = list.filter((one) => !one.revoked && (one.expiresAtMs === null || one.expiresAtMs > NOW_MS));
      const signing = signingKeyAt(list, NOW_MS);
      expect(signing === undefined).toBe(usable.length === 0);
      if (signing !== undefined) expect(usable).toContain(signing);
    }),
  );
});
