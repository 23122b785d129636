import { ACCOUNT_STATUS, type KeyRecord, MODES } from '@svc-pay/core';
import { API_VERSION } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { insertKey } from './insert-key.ts';

export type NewAccount = {
  readonly id: Id<'account'>;
  readonly name: string;
  /** At most one secret key per mode, which signs webhooks. */
  readonly keys: readonly KeyRecord[];
};

/** Creates an account with both modes and its first keys in one transaction. */
export async function createAccount(operation: Operation, { id, name, keys }: NewAccount): Promise<void> {
  const { pool, nowMs, actor } = operation;
  await inTransaction(pool, async (client) => {
    await client.query(
      'insert into svc.accounts (id, name, status, api_version, created_at) values ($1, $2, $3, $4, $5)',
      [id, name, ACCOUNT_STATUS.active, API_VERSION, new Date(nowMs)],
    );
    for (const mode of MODES) {
      await client.query('insert into svc.account_modes (account_id, mode) values ($1, $2)', [id, mode]);
      await writeAudit(client, nowMs, {
        accountId: id,
        mode,
        actor,
        action: 'account.created',
        target: id,
        detail: { name },
      });
    }
    for (const key of keys) await insertKey(client, operation, key, key.kind === 'secret');
  });
}
