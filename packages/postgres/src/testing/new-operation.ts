// An operator at work in a test, with secrets of the test's own.
import { randomBytes } from 'node:crypto';
import { createSecretBox, type KeySecrets, type Mode, newKey } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { createAccount } from '../operator/create-account.ts';
import type { Operation } from '../operator/operation.ts';

export const OPERATION_MS = 1_794_744_000_000;

export const TEST_SECRETS: KeySecrets = {
  pepper: randomBytes(32),
  box: createSecretBox([{ number: 1, bytes: randomBytes(32) }]),
};

export function newOperation(pool: pg.Pool, nowMs = OPERATION_MS): Operation {
  return { pool, nowMs, actor: 'operator:ada' };
}

/** An account as the command makes it, with a secret and a publishable key per mode. */
export async function newAccount(operation: Operation, name = 'A shop') {
  const id: Id<'account'> = newId('account', operation.nowMs);
  const key = (mode: Mode, kind: 'secret' | 'publishable') =>
    newKey(TEST_SECRETS, { accountId: id, mode }, kind, operation.nowMs);
  const secret = key('test', 'secret');
  const keys = [secret, key('test', 'publishable'), key('live', 'secret'), key('live', 'publishable')];
  await createAccount(operation, { id, name, keys: keys.map(({ record }) => record) });
  return { id, secret, keys };
}
