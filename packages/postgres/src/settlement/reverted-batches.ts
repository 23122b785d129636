// A payment of a reverted batch is queued again before the revert is final. Until it is final, a reorg may revive the
// reverted transaction and move the money, so the payment is not failed before that.
import { ENDED_BATCH, type LaneItem } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIsNot } from '../database/status-sql.ts';
import type { FailedBatchItem } from '../payment/payment-results.ts';
import { type SettlementKey, settlementKeys } from './move-settlements.ts';

const LOAD = {
  name: 'load-open-reverted-batches',
  text: `
    select distinct f.payment_id from unnest($1::text[], $2::text[], $3::text[]) as item (account_id, mode, payment_id)
    join svc.reverted_batches f
      on f.account_id = item.account_id and f.mode = item.mode and f.payment_id = item.payment_id
    join svc.batches b on b.id = f.batch_id
    where b.status ${sqlIsNot(...ENDED_BATCH)}`,
};

/** Ids of the payments that a reverted batch may still settle after a reorg. */
export async function findRevivable(
  client: pg.ClientBase | pg.Pool,
  items: readonly SettlementKey[],
): Promise<ReadonlySet<string>> {
  if (items.length === 0) return new Set();
  const { rows } = await client.query<{ payment_id: string }>({ ...LOAD, values: settlementKeys(items) });
  return new Set(rows.map((row) => row.payment_id));
}

/** Splits payments into those that may fail now and those that are held until their reverted batches are final. */
export async function holdRevivable(
  client: pg.ClientBase,
  failed: readonly FailedBatchItem[],
): Promise<{ readonly failed: readonly FailedBatchItem[]; readonly heldItems: readonly LaneItem[] }> {
  const open = await findRevivable(
    client,
    failed.map(({ item }) => item),
  );
  return {
    failed: failed.filter(({ item }) => !open.has(item.paymentId)),
    heldItems: failed.filter(({ item }) => open.has(item.paymentId)).map(({ item }) => item),
  };
}
