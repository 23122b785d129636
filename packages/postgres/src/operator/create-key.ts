import type { KeyRecord } from '@svc-pay/core';
import { inTransaction } from '../stores/in-transaction.ts';
import { insertKey } from './insert-key.ts';
import { lockKeys } from './lock-keys.ts';
import type { Operation } from './operation.ts';

export type CreatedKey =
  | { readonly ok: true; readonly signing: boolean }
  | { readonly ok: false; readonly code: 'account_unknown' };

/** A secret key signs at once only where no other does. */
export async function createKey(operation: Operation, key: KeyRecord): Promise<CreatedKey> {
  return inTransaction(operation.pool, async (client) => {
    const locked = await lockKeys(client, key.accountId, key.mode, operation.nowMs);
    if (locked === undefined) return { ok: false, code: 'account_unknown' };
    const signing = key.kind === 'secret' && locked.signing === undefined;
    await insertKey(client, operation, key, signing);
    return { ok: true, signing };
  });
}
