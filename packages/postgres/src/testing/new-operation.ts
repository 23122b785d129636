// The context of an operator's action in tests, with secrets of the test.
import { randomBytes } from 'node:crypto';
import { createSecretBox, type KeySecrets, type MasterKey, type Mode, newKey } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { createAccount } from '../account/create-account.ts';
import type { Operation } from '../audit/operation.ts';

export const OPERATION_MS = 1_794_744_000_000;

export const TEST_MASTER_KEY: MasterKey = { number: 1, bytes: randomBytes(32) };

export const TEST_SECRETS: KeySecrets = {
  pepper: randomBytes(32),
  box: createSecretBox([TEST_MASTER_KEY]),
};

export function newOperation(pool: pg.Pool, nowMs = OPERATION_MS): Operation {
  return { pool, nowMs, actor: 'operator:ada' };
}

/** Creates an account as the command does, with a secret and a publishable key per mode. */
export async function newAccount(operation: Operation, name = 'A shop') {
  const id: Id<'account'> = newId('account', operation.nowMs);
  const key = (mode: Mode, kind: 'secret' | 'publishable') =>
    newKey(TEST_SECRETS, { accountId: id, mode }, kind, operation.nowMs);
  const secret = key('test', 'secret');
  const keys = [secret, key('test', 'publishable'), key('live', 'secret'), key('live', 'publishable')];
  await createAccount(operation, { id, name, keys: keys.map(({ record }) => record) });
  return { id, secret, keys };
}
