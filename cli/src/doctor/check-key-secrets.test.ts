import { randomBytes } from 'node:crypto';
import { createSecretBox, newKey } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type { MasterKeys } from '@svc-pay/runtime/config';
import { expect, test } from 'vitest';
import { checkKeySecrets } from './check-key-secrets.ts';

const NOW_MS = 1_794_744_000_000;
const keyPepper = randomBytes(32);
const masterKeys: MasterKeys = [{ number: 1, bytes: randomBytes(32) }];
const owner = { accountId: newId('account', NOW_MS), mode: 'test' } as const;
const { record } = newKey({ pepper: keyPepper, box: createSecretBox(masterKeys) }, owner, 'secret', NOW_MS);
const sealed = [{ ...record, ciphertext: record.ciphertext! }];
const statuses = (...given: Parameters<typeof checkKeySecrets>) =>
  checkKeySecrets(...given).map(({ subject, status }) => `${subject} ${status}`);

test('the secrets that keys were made with fit', () => {
  expect(statuses(sealed, { keyPepper, masterKeys })).toEqual(['SVC_MASTER_KEYS ok', 'SVC_KEY_PEPPER ok']);
});

test('another pepper, and a master key that is gone, are found before a merchant finds them', () => {
  expect(statuses(sealed, { keyPepper: randomBytes(32), masterKeys })).toContain('SVC_KEY_PEPPER problem');
  expect(statuses(sealed, { keyPepper, masterKeys: [{ number: 2, bytes: randomBytes(32) }] })).toEqual([
    'SVC_MASTER_KEYS problem',
  ]);
});

test('without keys there is nothing to compare with', () => {
  expect(statuses([], { keyPepper, masterKeys })).toEqual([]);
});
