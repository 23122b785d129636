// Loads whose payout the payment names, and writes the decided stand-in intent with its payment.
import { type AdoptFacts, adoptPayment, type Intent } from '@svc-pay/core';
import type pg from 'pg';
import type { PaymentToRestore } from './payment-to-restore.ts';
import { insertStandIn, writeRestored } from './write-restored-payment.ts';

export type Adopted = { readonly ok: true; readonly intent: Intent } | { readonly ok: false; readonly reason: string };

export async function writeAdopted(
  client: pg.ClientBase,
  given: PaymentToRestore,
  intentCode: bigint,
): Promise<Adopted> {
  const { carried, lease } = given;
  const { rows } = await client.query<NonNullable<AdoptFacts['payoutOwner']>>(
    `select account_id as "accountId", mode from svc.payouts
     where network = $1 and processor = $2 and payout_id = $3`,
    [lease.network, carried.processor, carried.payoutId.toString()],
  );
  return adoptWith(client, given, { payoutOwner: rows[0], intentCode });
}

export async function adoptWith(
  client: pg.ClientBase,
  given: PaymentToRestore,
  named: Pick<AdoptFacts, 'payoutOwner' | 'intentCode' | 'intentId'>,
): Promise<Adopted> {
  const { carried, lease, batch, nowMs } = given;
  const decided = adoptPayment({ network: lease.network, carried, batchId: batch.id, nowMs, ...named });
  if (decided.step === 'refuse') return { ok: false, reason: decided.reason };
  await insertStandIn(client, decided.standIn);
  await writeRestored(client, given, decided.rows);
  return { ok: true, intent: decided.standIn };
}
