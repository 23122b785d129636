import { isoTime } from '@svc-pay/core';
import type pg from 'pg';
import type { SettlementStanding } from './payment-standing.ts';
import type { PaymentToRestore } from './payment-to-restore.ts';

/** A payment that was there: the batch that settled it is its own from now on, whichever it waited in. */
export async function bindPayment(
  client: pg.ClientBase,
  { held, batchId, carried, nowMs }: PaymentToRestore,
  settlement: SettlementStanding,
): Promise<'known' | 'bound' | { readonly reason: string }> {
  const { status, settledAtomic } = settlement;
  if (settledAtomic !== carried.settledAtomic)
    return { reason: `the chain settled ${carried.settledAtomic}, its order was ${settledAtomic}` };
  if (status === 'completed') return 'known';
  if (status === 'failed' || status === 'canceled') return { reason: `the books call its payment ${status}` };
  if (settlement.recovering) return { reason: 'its money is booked as stranded' };
  if (status === 'batched' && settlement.batchId === batchId) return 'known';
  await client.query({
    name: 'recover-bind-settlement',
    text: `
      update svc.settlements set status = 'batched', relayer = $4, batch_id = $5, updated_at = $6
      where account_id = $1 and mode = $2 and payment_id = $3`,
    values: [settlement.accountId, settlement.mode, settlement.paymentId, held.relayer, batchId, isoTime(nowMs)],
  });
  return 'bound';
}
