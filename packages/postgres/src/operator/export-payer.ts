import { inTransaction } from '../stores/in-transaction.ts';
import { findPayerRows, type PayerRows } from './find-payer-rows.ts';
import type { Operation } from './operation.ts';
import { recordPrivacyDeed } from './record-privacy-deed.ts';

/** All rows that name the payer, as they are at one moment. Every account concerned keeps a record that they were read. */
export async function exportPayer(operation: Operation, payer: string, reference: string): Promise<PayerRows> {
  return inTransaction(operation.pool, async (client) => {
    await client.query('set transaction isolation level repeatable read');
    const rows = await findPayerRows(client, payer);
    await recordPrivacyDeed(client, operation, 'privacy.exported', reference, Object.values(rows).flat());
    return rows;
  });
}
