import { type KeyRecord, MODES } from '@svc-pay/core';
import { API_VERSION } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import { inTransaction } from '../stores/in-transaction.ts';
import { writeAudit } from '../stores/write-audit.ts';
import { insertKey } from './insert-key.ts';
import type { Operation } from './operation.ts';

export type NewAccount = {
  readonly id: Id<'account'>;
  readonly name: string;
  /** At most one secret key per mode: it signs. */
  readonly keys: readonly KeyRecord[];
};

/** An account with both modes and its first keys, or nothing of it. */
export async function createAccount(operation: Operation, { id, name, keys }: NewAccount): Promise<void> {
  const { pool, nowMs, actor } = operation;
  await inTransaction(pool, async (client) => {
    await client.query(
      `insert into svc.accounts (id, name, status, api_version, created_at) values ($1, $2, 'active', $3, $4)`,
      [id, name, API_VERSION, new Date(nowMs)],
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
