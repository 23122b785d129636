import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hintOf, KEY_KINDS, makeApiKey, parseApiKey } from './api-key.ts';
import { MODES } from './mode.ts';

const kinds = KEY_KINDS.flatMap((kind) => MODES.map((mode) => ({ kind, mode })));

test.each(kinds)('a $kind key of $mode mode says what it is', ({ kind, mode }) => {
  const text = makeApiKey(kind, mode, randomBytes);
  expect(text).toMatch(new RegExp(`^${kind === 'secret' ? 'sk' : 'pk'}_${mode}_[0-9A-Za-z]{49}$`));
  expect(parseApiKey(text)).toEqual({ text, kind, mode });
});

test('the smallest and the largest randomness fit', () => {
  for (const byte of [0, 255]) {
    expect(parseApiKey(makeApiKey('secret', 'live', (length) => new Uint8Array(length).fill(byte)))).toBeDefined();
  }
});

test('one changed character anywhere is noticed before any database is asked', () => {
  const text = makeApiKey('secret', 'test', randomBytes);
  fc.assert(
    fc.property(fc.nat({ max: text.length - 1 }), fc.constantFrom('0', 'a', 'Z', '_', '-', 'x'), (at, character) => {
      fc.pre(text.charAt(at) !== character);
      expect(parseApiKey(text.slice(0, at) + character + text.slice(at + 1))).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});

test('anything else is no key', () => {
  const text = makeApiKey('publishable', 'test', randomBytes);
  for (const bad of ['', 'sk_test_', text.slice(1), `${text}A`, ` ${text}`, `${text}\n`, text.replace('pk', 'sk')]) {
    expect(parseApiKey(bad)).toBeUndefined();
  }
  fc.assert(
    fc.property(fc.string(), (any) => {
      expect(parseApiKey(any)).toBeUndefined();
    }),
  );
});

test('a hint shows too little to use', () => {
  const text = makeApiKey('secret', 'live', randomBytes);
  expect(hintOf(text)).toBe(`sk_live_…${text.slice(-4)}`);
});
