import fc from 'fast-check';
import { expect, test } from 'vitest';
import { storedKeyOf } from './stored-key.ts';

const sentKey = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
});

test('no key sent with a publishable API key is stored under the name of one sent with a secret key', () => {
  fc.assert(
    fc.property(sentKey, sentKey, (publishable, secret) => {
      expect(storedKeyOf('publishable', publishable)).not.toBe(storedKeyOf('secret', secret));
    }),
  );
  expect(storedKeyOf('publishable', 'order-1')).not.toBe(storedKeyOf('secret', 'order-1'));
});

test('different keys of one kind have different names; a secret key’s name is the key itself', () => {
  expect(storedKeyOf('publishable', 'a')).not.toBe(storedKeyOf('publishable', 'b'));
  expect(storedKeyOf('secret', 'order-1')).toBe('order-1');
});
