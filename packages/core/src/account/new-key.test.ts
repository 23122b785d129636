import { randomBytes } from 'node:crypto';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { parseApiKey } from './api-key.ts';
import { keyIndex } from './key-index.ts';
import { newKey, secretKeyContext } from './new-key.ts';
import { createSecretBox } from './secret-box.ts';

const NOW_MS = 1_763_164_800_000;
const pepper = randomBytes(32);
const box = createSecretBox([{ number: 1, bytes: randomBytes(32) }]);
const owner = { accountId: newId('account', NOW_MS), mode: 'test' } as const;

test('a secret key is stored only sealed, and opens to what was shown', () => {
  const { text, record } = newKey({ pepper, box }, owner, 'secret', NOW_MS);
  expect(parseApiKey(text)).toMatchObject({ kind: 'secret', mode: 'test' });
  expect(record).toMatchObject({ ...owner, kind: 'secret', publishableText: null, index: keyIndex(pepper, text) });
  expect(Buffer.from(record.ciphertext!).includes(text.slice(8))).toBe(false);
  expect(JSON.stringify(record)).not.toContain(text);
  expect(box.open(record.ciphertext!, secretKeyContext(owner.accountId, record.id))).toBe(text);
});

test('a publishable key is public and kept as it is', () => {
  const { text, record } = newKey({ pepper, box }, owner, 'publishable', NOW_MS);
  expect(record).toMatchObject({ publishableText: text, ciphertext: null });
});

test('no two keys are alike', () => {
  const texts = Array.from({ length: 50 }, () => newKey({ pepper, box }, owner, 'secret', NOW_MS).text);
  expect(new Set(texts).size).toBe(50);
});
