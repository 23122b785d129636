// Metadata keys that an account declared, for the operator.
import { isoTime, MAX_METADATA_KEYS_DECLARED, type Mode } from '@svc-pay/core';
import type pg from 'pg';
import { lockAccountMode } from '../account/lock-account-mode.ts';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';

export type DeclaredKey = { readonly mode: Mode; readonly key: string; readonly declaredAt: Date };

export async function listMetadataKeys(
  client: pg.Pool | pg.ClientBase,
  accountId: string,
): Promise<readonly DeclaredKey[]> {
  const { rows } = await client.query<DeclaredKey>(
    `select mode, key, declared_at as "declaredAt" from svc.metadata_keys where account_id = $1 order by mode desc, key`,
    [accountId],
  );
  return rows;
}

/** Declares these keys and no others; a key that was declared before keeps its time. Undefined: no such open account. */
export async function declareMetadataKeys(
  { pool, nowMs, actor }: Operation,
  accountId: string,
  mode: Mode,
  keys: readonly string[],
): Promise<readonly DeclaredKey[] | undefined> {
  if (keys.length > MAX_METADATA_KEYS_DECLARED)
    throw new Error(`account ${accountId} would declare ${keys.length} metadata keys`);
  return inTransaction(pool, async (client) => {
    if (!(await lockAccountMode(client, accountId, mode))) return undefined;
    await client.query('delete from svc.metadata_keys where account_id = $1 and mode = $2 and not key = any ($3)', [
      accountId,
      mode,
      keys,
    ]);
    await client.query(
      `insert into svc.metadata_keys (account_id, mode, key, declared_at)
       select $1, $2, key, $4 from unnest($3::text[]) as key on conflict do nothing`,
      [accountId, mode, keys, isoTime(nowMs)],
    );
    const entry = { accountId, mode, actor, action: 'account.metadata_keys_set', target: accountId };
    await writeAudit(client, nowMs, { ...entry, detail: { keys } });
    return (await listMetadataKeys(client, accountId)).filter((declared) => declared.mode === mode);
  });
}
