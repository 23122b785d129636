// Writes an audit entry in the transaction of the action. A periodic job seals it later.
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';

export type NewAuditEntry = {
  readonly accountId: string;
  readonly mode: string;
  /** `key:<id>`, `operator:<id>`, `person:<id>` or `service:<name>`. */
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  /** Must not contain secrets: the entry is kept for years and shown to people. */
  readonly detail?: Readonly<Record<string, unknown>>;
};

export async function writeAudit(client: pg.ClientBase, nowMs: number, entry: NewAuditEntry): Promise<void> {
  await client.query(
    `insert into svc.audit (account_id, mode, id, actor, action, target, detail, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      entry.accountId,
      entry.mode,
      newId('audit', nowMs),
      entry.actor,
      entry.action,
      entry.target,
      JSON.stringify(entry.detail ?? {}),
      new Date(nowMs),
    ],
  );
}
