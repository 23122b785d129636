import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSecretBox } from './secret-box.ts';

const key = (number: number) => ({ number, bytes: new Uint8Array(randomBytes(32)) });
const first = key(1);
const box = createSecretBox([first]);
const context = { accountId: 'acct_1', id: 'key_1', purpose: 'api-key' };

test('any secret opens again under its own context', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (secret) => {
      expect(box.open(box.seal(secret, context), context)).toBe(secret);
    }),
  );
});

test('the same secret is sealed differently every time, and not in the clear', () => {
  const [one, other] = [box.seal('sk_test_canary', context), box.seal('sk_test_canary', context)];
  expect(Buffer.compare(one, other)).not.toBe(0);
  expect(Buffer.from(one).includes('canary')).toBe(false);
});

test.each([
  ['another account', { ...context, accountId: 'acct_2' }],
  ['another key', { ...context, id: 'key_2' }],
  ['another purpose', { ...context, purpose: 'webhook-header' }],
])('a ciphertext moved to %s does not open', (_, elsewhere) => {
  const sealed = box.seal('secret', context);
  expect(() => box.open(sealed, elsewhere)).toThrow();
});

test('every flipped bit is noticed', () => {
  const sealed = box.seal('secret', context);
  for (let index = 0; index < sealed.length; index += 1) {
    const altered = Uint8Array.from(sealed, (byte, at) => (at === index ? byte ^ 1 : byte));
    expect(() => box.open(altered, context)).toThrow();
  }
  expect(() => box.open(sealed.subarray(0, 20), context)).toThrow();
});

test('after a rotation the old master key still opens, and the new one seals', () => {
  const sealed = box.seal('secret', context);
  const rotated = createSecretBox([key(2), first]);
  expect(rotated.open(sealed, context)).toBe('secret');
  expect(rotated.seal('secret', context)[0]).toBe(2);
  expect(() => box.open(rotated.seal('secret', context), context)).toThrow();
});

test('a master key of the wrong length or number is refused at once', () => {
  expect(() => createSecretBox([{ number: 1, bytes: new Uint8Array(16) }])).toThrow(RangeError);
  expect(() => createSecretBox([{ number: 256, bytes: new Uint8Array(32) }])).toThrow(RangeError);
});
