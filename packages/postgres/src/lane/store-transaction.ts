// Stores a fee bump of a pending batch as one more row: the chain may still mine an earlier transaction of the batch. What
// the batch puts at risk of gas budgets is the dearest of them.
import { isoTime, type LaneLease, PENDING_BATCH, type SignedTransaction } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';

const STORE = {
  name: 'lane-store-transaction',
  text: `
    with batch as (
      update svc.batches set transaction_id = $4, at_risk = case when at_risk is not null then greatest(at_risk, $8) end
      where id = $5 and network = $1 and relayer = $2 and status ${sqlIs(...PENDING_BATCH)}
        and exists (
          select from svc.relayers where network = $1 and address = $2 and epoch = $3 for no key update
        )
      returning mode
    )
    insert into svc.batch_transactions (network, transaction_id, batch_id, mode, raw_transaction, created_at)
    select $1, $4, $5, mode, $6, $7 from batch`,
};

export async function storeTransaction(
  pool: pg.Pool,
  { network, relayer, epoch }: LaneLease,
  batchId: string,
  { transactionId, raw, worstCostAtomic }: SignedTransaction,
  nowMs: number,
): Promise<boolean> {
  const values = [network, relayer, epoch.toString(), transactionId, batchId, Buffer.from(raw), isoTime(nowMs)];
  const { rowCount } = await pool.query({ ...STORE, values: [...values, worstCostAtomic?.toString() ?? null] });
  return rowCount === 1;
}
