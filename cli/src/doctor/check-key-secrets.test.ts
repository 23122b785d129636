import { randomBytes } from 'node:crypto';
import type { NumberedPeppers } from '@svc-pay/core';
import type { RehashedKeys } from '@svc-pay/postgres/operator';
import type { MasterKeys } from '@svc-pay/runtime/config';
import { expect, test } from 'vitest';
import { checkKeySecrets, checkSealed } from './check-key-secrets.ts';

const masterKeys: MasterKeys = [{ number: 1, bytes: randomBytes(32) }];
const numbered = (number: number) => ({ number, bytes: randomBytes(32) });
const BOTH: NumberedPeppers = [numbered(2), numbered(1)];
type LeftKey = RehashedKeys['left'][number];
const left = (why: { why: 'unknown' | 'unopened' } | { why: 'old'; pepper: number }): LeftKey => ({
  accountId: 'acct_1',
  id: 'key_1',
  ...why,
});
const said = (given: Partial<RehashedKeys>, peppers = BOTH) =>
  checkKeySecrets({ stored: 4, rehashed: 0, left: [], operators: [], operatorsLocked: [], ...given }, peppers).map(
    ({ subject, status, message }) => `${subject} ${status}: ${message}`,
  );

test('the secrets that every key was made with fit', () => {
  expect(said({})).toEqual([
    'SVC_MASTER_KEYS ok: Stored secret keys open.',
    'SVC_KEY_PEPPER ok: 4 stored keys are found with it.',
  ]);
});

test('one key under a pepper that is not given is a problem, though the others are found', () => {
  expect(said({ left: [left({ why: 'unknown' })] }).slice(1)).toEqual([
    'SVC_KEY_PEPPER problem: 1 of 4 stored keys are not found with it: their merchants are refused.',
  ]);
});

test('a key that no master key opens is a problem, and is not counted as found', () => {
  expect(said({ left: [left({ why: 'unopened' })] })).toEqual([
    'SVC_MASTER_KEYS problem: No master key opens 1 of 4 stored API keys.',
    'SVC_KEY_PEPPER ok: 3 stored keys are found with it.',
  ]);
});

test('keys and operators under an older pepper of the list are a warning with their number', () => {
  const old = left({ why: 'old', pepper: 1 });
  expect(said({ left: [old, old], operators: ['op_1'] }).slice(1)).toEqual([
    'SVC_KEY_PEPPER warning: 2 stored keys are still under pepper 1.',
    'SVC_KEY_PEPPER warning: 1 operators have a key under another pepper than 2.',
  ]);
});

test('an operator under a pepper that is not given is a problem', () => {
  expect(said({ operators: ['op_1'], operatorsLocked: ['op_1'] }).slice(1)).toEqual([
    'SVC_KEY_PEPPER problem: 1 operators have a key under a pepper that is not given: the key is refused.',
  ]);
});

test('a pepper that was given the number of the one before it is noticed', () => {
  const misnumbered: NumberedPeppers = [numbered(1), numbered(2)];
  expect(said({ left: [left({ why: 'old', pepper: 2 })] }, misnumbered).slice(1)).toEqual([
    'SVC_KEY_PEPPER warning: 1 stored keys are under pepper 2, although the first in the list is 1.',
  ]);
});

test('without keys there is nothing to compare with', () => {
  expect(said({ stored: 0 })).toEqual([]);
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
