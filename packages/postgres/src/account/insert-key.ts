import { isoTime, type KeyRecord } from '@svc-pay/core';
import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { insertText } from '../database/insert-text.ts';
import { namedParameters } from '../database/statement-parameters.ts';

const KEY = namedParameters({
  account_id: 'text',
  mode: 'text',
  id: 'text',
  kind: 'text',
  lookup: 'bytea',
  publishable_text: 'text',
  ciphertext: 'bytea',
  hint: 'text',
  signing: 'boolean',
  scopes: 'text[]',
  created_at: 'timestamptz',
});

/** Writes a key and its audit record. `signing` may be true only if no other key of the account and mode signs. */
export async function insertKey(
  client: pg.ClientBase,
  { nowMs, actor }: Operation,
  key: KeyRecord,
  signing: boolean,
): Promise<void> {
  await client.query(
    insertText('svc.api_keys', KEY.at),
    KEY.values({
      account_id: key.accountId,
      mode: key.mode,
      id: key.id,
      kind: key.kind,
      lookup: key.index,
      publishable_text: key.publishableText,
      ciphertext: key.ciphertext,
      hint: key.hint,
      signing,
      scopes: key.scopes,
      created_at: isoTime(nowMs),
    }),
  );
  await writeAudit(client, nowMs, {
    accountId: key.accountId,
    mode: key.mode,
    actor,
    action: 'key.created',
    target: key.id,
    detail: { kind: key.kind, hint: key.hint, signing, ...(key.scopes !== null && { scopes: key.scopes }) },
  });
}
