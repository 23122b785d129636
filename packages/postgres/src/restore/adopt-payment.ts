// Loads whose payout the payment names, and writes the decided stand-in intent with its payment.
import { adoptPayment, type Intent, type Mode } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import type { PaymentToRestore } from './payment-to-restore.ts';
import { insertStandIn, writeRestored } from './write-restored-payment.ts';

type Owner = { readonly accountId: Id<'account'>; readonly mode: Mode };

export async function writeAdopted(
  client: pg.ClientBase,
  given: PaymentToRestore,
): Promise<{ readonly ok: true; readonly intent: Intent } | { readonly ok: false; readonly reason: string }> {
  const { carried, lease, batch, nowMs } = given;
  const { rows } = await client.query<Owner>(
    `select account_id as "accountId", mode from svc.payouts
     where network = $1 and processor = $2 and payout_id = $3`,
    [lease.network, carried.processor, carried.payoutId.toString()],
  );
  const { network } = lease;
  const decided = adoptPayment({ network, carried, batchId: batch.id, payoutOwner: rows[0], nowMs });
  if (decided.step === 'refuse') return { ok: false, reason: decided.reason };
  await insertStandIn(client, decided.standIn);
  await writeRestored(client, given, decided.rows);
  return { ok: true, intent: decided.standIn };
}
