import type { KeyRecord } from '@svc-pay/core';
import type pg from 'pg';
import { writeAudit } from '../stores/write-audit.ts';
import type { Operation } from './operation.ts';

/** Writes a key and the record of its making. `signing` only where no other key of the account and mode signs. */
export async function insertKey(
  client: pg.ClientBase,
  { nowMs, actor }: Operation,
  key: KeyRecord,
  signing: boolean,
): Promise<void> {
  await client.query(
    `insert into svc.api_keys (
       account_id, mode, id, kind, lookup, publishable_text, ciphertext, hint, signing, created_at
     ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      key.accountId,
      key.mode,
      key.id,
      key.kind,
      key.index,
      key.publishableText,
      key.ciphertext,
      key.hint,
      signing,
      new Date(nowMs),
    ],
  );
  await writeAudit(client, nowMs, {
    accountId: key.accountId,
    mode: key.mode,
    actor,
    action: 'key.created',
    target: key.id,
    detail: { kind: key.kind, hint: key.hint, signing },
  });
}
