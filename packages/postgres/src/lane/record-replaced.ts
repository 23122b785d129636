// Records a batch as `replaced`: a finalized block has another transaction under its nonce, so the batch can never be
// mined and has moved no money. Its payments are queued again.
import { isoTime, type LaneLease } from '@svc-pay/core';
import type pg from 'pg';
import { requireLease, withFence } from './lane-fence.ts';

export async function recordReplaced(
  pool: pg.Pool,
  lease: LaneLease,
  batchId: string,
  nowMs: number,
): Promise<boolean> {
  return withFence(pool, async (client) => {
    await requireLease(client, lease);
    await giveUpBatch(client, batchId, nowMs);
  });
}

/**
 * Runs in the caller's transaction, which must have checked
 * the lease. A batch with a recorded result is left unchanged.
 */
export async function giveUpBatch(client: pg.ClientBase, batchId: string, nowMs: number): Promise<void> {
  const changed = await client.query({
    name: 'record-replaced-batch',
    text: `
      update svc.batches set status = 'replaced', updated_at = $2
      where id = $1 and status in ('signed', 'broadcast')`,
    values: [batchId, isoTime(nowMs)],
  });
  if (changed.rowCount !== 1) return;
  await client.query({
    name: 'queue-replaced-items',
    text: `
      with settlements as (
        update svc.settlements set status = 'queued', relayer = null, batch_id = null, updated_at = $2
        where batch_id = $1 and status = 'batched'
      )
      update svc.stranded_transfers set status = 'queued', relayer = null, batch_id = null, updated_at = $2
      where batch_id = $1 and status = 'batched'`,
    values: [batchId, isoTime(nowMs)],
  });
}
