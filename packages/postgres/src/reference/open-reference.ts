import { isoTime, type NewReference } from '@svc-pay/core';
import type pg from 'pg';

/** Returns the fee recipient with which the reference was opened first. */
export async function openReference(pool: pg.Pool, reference: NewReference, nowMs: number): Promise<string> {
  const { accountId, mode, intentId, intentCode, network, feeRecipient } = reference;
  const { rows } = await pool.query<{ stored: string | null }>({
    name: 'open-reference',
    text: 'select svc.open_reference($1, $2, $3, $4, $5, $6, $7, $8) as stored',
    values: [
      accountId,
      mode,
      intentId,
      intentCode.toString(),
      network,
      reference.reference,
      feeRecipient,
      isoTime(nowMs),
    ],
  });
  const stored = rows[0]?.stored;
  if (typeof stored !== 'string') throw new Error(`the reference of intent ${intentId} can't be opened`);
  return stored;
}
