// Restores one on-chain transaction in one database transaction: its batch and every payment that it settled, or
// nothing. A second run changes nothing.
import { type CarriedPayment, isoTime, type LaneLease, type OnChainTransaction } from '@svc-pay/core';
import type pg from 'pg';
import { requireLease, withFence } from '../lane/lane-fence.ts';
import { type RestoredBatch, restoreBatch } from './restore-batch.ts';
import { type RestoredPayment, restorePayment } from './restore-payment.ts';

export type RestoredTransaction = {
  readonly batch: RestoredBatch['was'];
  readonly payments: readonly (RestoredPayment & { readonly carried: CarriedPayment })[];
};

/** Undefined, with nothing written, when the lane was taken over. */
export async function restoreTransaction(
  pool: pg.Pool,
  lease: LaneLease,
  onChain: OnChainTransaction,
  nowMs: number,
): Promise<RestoredTransaction | undefined> {
  let restored: RestoredTransaction | undefined;
  const kept = await withFence(pool, async (client) => {
    await requireLease(client, lease);
    const { id: batchId, was } = await restoreBatch(client, lease, onChain, nowMs);
    const recorded = was === 'recorded';
    const payments: (RestoredPayment & { carried: CarriedPayment })[] = [];
    for (const carried of onChain.settled) {
      payments.push({ ...(await restorePayment(client, { lease, batchId, recorded, carried, nowMs })), carried });
    }
    await client.query(
      `update svc.relayers set next_nonce = $3, updated_at = $4
       where network = $1 and address = $2 and next_nonce < $3`,
      [lease.network, lease.relayer, (onChain.nonce + 1n).toString(), isoTime(nowMs)],
    );
    restored = { batch: was, payments };
  });
  return kept ? restored : undefined;
}
