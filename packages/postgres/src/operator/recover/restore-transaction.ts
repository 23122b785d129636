// One transaction of the chain, one transaction of the database: its batch and every payment that it settled, or nothing.
// Done again it changes nothing.
import { type CarriedPayment, type HeldLane, isoTime, type SentTransaction } from '@svc-pay/core';
import type pg from 'pg';
import { requireHeld, unlessTakenOver } from '../../lanes/hold-lane.ts';
import { type RestoredBatch, restoreBatch } from './restore-batch.ts';
import { type RestoredPayment, restorePayment } from './restore-payment.ts';

export type RestoredTransaction = {
  readonly batch: RestoredBatch['was'];
  readonly payments: readonly (RestoredPayment & { readonly carried: CarriedPayment })[];
};

/** Undefined, with nothing written, when the lane was taken over. */
export async function restoreTransaction(
  pool: pg.Pool,
  held: HeldLane,
  sent: SentTransaction,
  nowMs: number,
): Promise<RestoredTransaction | undefined> {
  let restored: RestoredTransaction | undefined;
  const kept = await unlessTakenOver(pool, async (client) => {
    await requireHeld(client, held);
    const { id: batchId, was } = await restoreBatch(client, held, sent, nowMs);
    const recorded = was === 'recorded';
    const payments: (RestoredPayment & { carried: CarriedPayment })[] = [];
    for (const carried of sent.settled) {
      payments.push({ ...(await restorePayment(client, { held, batchId, recorded, carried, nowMs })), carried });
    }
    await client.query(
      `update svc.relayers set next_nonce = $3, updated_at = $4
       where network = $1 and address = $2 and next_nonce < $3`,
      [held.network, held.relayer, (sent.nonce + 1n).toString(), isoTime(nowMs)],
    );
    restored = { batch: was, payments };
  });
  return kept ? restored : undefined;
}
