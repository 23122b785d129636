// A batch that can never be mined, because a finalized block has another transaction under its nonce: it is given up, and
// its payments wait again. Nothing of it ever moved.
import { type HeldLane, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { requireHeld, unlessTakenOver } from './hold-lane.ts';

export async function recordReplaced(pool: pg.Pool, held: HeldLane, batchId: string, nowMs: number): Promise<boolean> {
  return unlessTakenOver(pool, async (client) => {
    await requireHeld(client, held);
    await giveUpBatch(client, batchId, nowMs);
  });
}

/** Within the transaction of a holder of the lane. One whose end is recorded stays as it is. */
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
      update svc.recoveries set status = 'queued', relayer = null, batch_id = null, updated_at = $2
      where batch_id = $1 and status = 'batched'`,
    values: [batchId, isoTime(nowMs)],
  });
}
