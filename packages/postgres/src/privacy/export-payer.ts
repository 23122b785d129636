import type { Operation } from '../audit/operation.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { findPayerRows, type PayerRows } from './find-payer-rows.ts';
import { recordPrivacyAction } from './record-privacy-action.ts';

/** All rows that name the payer, from one snapshot. Each account concerned gets an audit record of the export. */
export async function exportPayer(operation: Operation, payer: string, reference: string): Promise<PayerRows> {
  return inTransaction(operation.pool, async (client) => {
    await client.query('set transaction isolation level repeatable read');
    const rows = await findPayerRows(client, payer);
    await recordPrivacyAction(client, operation, 'privacy.exported', reference, Object.values(rows).flat());
    return rows;
  });
}
