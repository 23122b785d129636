// Records a batch as `replaced`: a finalized block has another transaction under its nonce, so the batch can never be
// mined and has moved no money. Its payments are queued again, and name no transaction.
import {
  BATCH_STATUS,
  BATCH_TRANSITIONS,
  isoTime,
  type LaneLease,
  type LinkedItem,
  NO_LINK,
  PENDING_BATCH,
  SETTLEMENT_STATUS,
  SETTLEMENT_TRANSITIONS,
  STRANDED_STATUS,
  STRANDED_TRANSITIONS,
} from '@svc-pay/core';
import type pg from 'pg';
import { sqlStep } from '../database/status-sql.ts';
import { linkPayments } from '../payment/link-payments.ts';
import { requireLease, withFence } from './lane-fence.ts';
import { leaveBatch } from './refund-items.ts';

const GIVEN_UP = sqlStep(BATCH_TRANSITIONS, PENDING_BATCH, BATCH_STATUS.replaced);
const PAYMENTS = sqlStep(SETTLEMENT_TRANSITIONS, SETTLEMENT_STATUS.batched, SETTLEMENT_STATUS.queued);
const TRANSFERS = sqlStep(STRANDED_TRANSITIONS, STRANDED_STATUS.batched, STRANDED_STATUS.queued);

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
      update svc.batches
      set status = ${GIVEN_UP.to}, linked_transaction_id = null, seen_block_hash = null, updated_at = $2
      where id = $1 and status ${GIVEN_UP.from}`,
    values: [batchId, isoTime(nowMs)],
  });
  if (changed.rowCount !== 1) return;
  const { rows } = await client.query<LinkedItem['item']>({
    name: 'queue-replaced-items',
    text: `
      with settlements as (
        update svc.settlements set status = ${PAYMENTS.to}, relayer = null, batch_id = null, updated_at = $2
        where batch_id = $1 and status ${PAYMENTS.from}
        returning account_id, mode, payment_id, intent_id
      ),
      transfers as (
        update svc.stranded_transfers set status = ${TRANSFERS.to}, relayer = null, batch_id = null, updated_at = $2
        where batch_id = $1 and status ${TRANSFERS.from}
        returning account_id, mode, payment_id, intent_id
      )
      select account_id as "accountId", mode, payment_id as "paymentId", intent_id as "intentId"
      from (select * from settlements union all select * from transfers) gone`,
    values: [batchId, isoTime(nowMs)],
  });
  await leaveBatch(client, batchId, nowMs);
  await linkPayments(
    client,
    rows.map((item) => ({ item, link: NO_LINK, requestId: batchId })),
    nowMs,
  );
}
