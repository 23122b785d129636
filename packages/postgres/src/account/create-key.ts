import { type KeyRecord, signsAtOnce } from '@svc-pay/core';
import type { Operation } from '../audit/operation.ts';
import { inOperation } from '../audit/standing.ts';
import { insertKey } from './insert-key.ts';
import { lockKeys } from './lock-keys.ts';

export type CreatedKey =
  | { readonly ok: true; readonly signing: boolean }
  | { readonly ok: false; readonly code: 'account_unknown' };

export async function createKey(operation: Operation, key: KeyRecord): Promise<CreatedKey> {
  return inOperation(operation, async (client) => {
    const locked = await lockKeys(client, key.accountId, key.mode, operation.nowMs);
    if (locked === undefined) return { ok: false, code: 'account_unknown' };
    const signing = signsAtOnce({ kind: key.kind, scoped: key.scopes !== null }, locked.signing);
    await insertKey(client, operation, key, signing);
    return { ok: true, signing };
  });
}
