import { randomBytes } from 'node:crypto';
import { createSecretBox, newKey } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type { MasterKeys } from '@svc-pay/runtime/config';
import { expect, test } from 'vitest';
import { checkKeySecrets, checkSealed } from './check-key-secrets.ts';

const NOW_MS = 1_794_744_000_000;
const pepper = randomBytes(32);
const keyPeppers = [{ number: 1, bytes: pepper }] as const;
const masterKeys: MasterKeys = [{ number: 1, bytes: randomBytes(32) }];
const owner = { accountId: newId('account', NOW_MS), mode: 'test' } as const;
const { record } = newKey({ pepper, box: createSecretBox(masterKeys) }, owner, 'secret', NOW_MS);
const sealed = [{ ...record, ciphertext: record.ciphertext! }];
const statuses = (...given: Parameters<typeof checkKeySecrets>) =>
  checkKeySecrets(...given).map(({ subject, status }) => `${subject} ${status}`);

test('the secrets that keys were made with fit', () => {
  expect(statuses(sealed, { keyPeppers, masterKeys })).toEqual(['SVC_MASTER_KEYS ok', 'SVC_KEY_PEPPER ok']);
});

test('another pepper, and a master key that is gone, are found before a merchant finds them', () => {
  expect(statuses(sealed, { keyPeppers: [{ number: 1, bytes: randomBytes(32) }], masterKeys })).toContain(
    'SVC_KEY_PEPPER problem',
  );
  expect(statuses(sealed, { keyPeppers, masterKeys: [{ number: 2, bytes: randomBytes(32) }] })).toEqual([
    'SVC_MASTER_KEYS problem',
  ]);
});

test('without keys there is nothing to compare with', () => {
  expect(statuses([], { keyPeppers, masterKeys })).toEqual([]);
});

test('while a pepper is replaced, keys under the old one are found', () => {
  const next = { number: 2, bytes: randomBytes(32) };
  expect(statuses(sealed, { keyPeppers: [next, ...keyPeppers], masterKeys })).toContain('SVC_KEY_PEPPER ok');
});

test('secrets under an old master key are a warning, under one that is not given a problem', () => {
  const counts = [
    { column: 'api_keys.ciphertext', masterKey: 1, count: 2 },
    { column: 'endpoints.secret_ciphertext', masterKey: 1, count: 1 },
    { column: 'endpoints.secret_ciphertext', masterKey: 3, count: 5 },
  ];
  const next = { number: 2, bytes: randomBytes(32) };
  expect(
    checkSealed(counts, { masterKeys: [next, ...masterKeys] }).map(({ status, message }) => [status, message]),
  ).toEqual([
    ['warning', '3 secrets are still encrypted with master key 1.'],
    ['problem', "5 secrets are encrypted with master key 3, which is not given: they can't be opened."],
  ]);
  expect(checkSealed(counts.slice(0, 2), { masterKeys })).toEqual([]);
});
