import type pg from 'pg';
import { writeAudit } from '../stores/write-audit.ts';
import type { PayerRow } from './find-payer-rows.ts';
import type { Operation } from './operation.ts';

/**
 * One audit entry for each account and mode among `rows`. `reference` stands for the payer: the record is kept for years
 * and must not name whom it promises to have forgotten.
 */
export async function recordPrivacyDeed(
  client: pg.ClientBase,
  { nowMs, actor }: Operation,
  action: 'privacy.exported' | 'privacy.erased',
  reference: string,
  rows: readonly Pick<PayerRow, 'account_id' | 'mode'>[],
): Promise<void> {
  const tenants = Map.groupBy(rows, ({ account_id, mode }) => `${account_id}/${mode}`);
  for (const concerned of tenants.values()) {
    const [first] = concerned;
    if (first === undefined) continue;
    await writeAudit(client, nowMs, {
      accountId: first.account_id,
      mode: first.mode,
      actor,
      action,
      target: reference,
      detail: { rows: concerned.length },
    });
  }
}
