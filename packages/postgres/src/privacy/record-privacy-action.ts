import type pg from 'pg';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { PayerRow } from './find-payer-rows.ts';

/**
 * Writes one audit entry for each account and mode among `rows`. `reference` replaces the payer: the entry is kept for
 * years and must not name the erased payer.
 */
export async function recordPrivacyAction(
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
