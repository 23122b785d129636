// A deed goes into the record in the transaction that does it. Sealing comes later.
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';

export type Deed = {
  readonly accountId: string;
  readonly mode: string;
  /** `key:<id>`, `operator:<name>` or `service:<name>`. */
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  /** Never a secret: the record is kept for years and shown to people. */
  readonly detail?: Readonly<Record<string, unknown>>;
};

export async function writeAudit(client: pg.ClientBase, nowMs: number, deed: Deed): Promise<void> {
  await client.query(
    `insert into svc.audit (account_id, mode, id, actor, action, target, detail, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      deed.accountId,
      deed.mode,
      newId('audit', nowMs),
      deed.actor,
      deed.action,
      deed.target,
      JSON.stringify(deed.detail ?? {}),
      new Date(nowMs),
    ],
  );
}
