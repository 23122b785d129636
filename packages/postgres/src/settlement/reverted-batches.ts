// Reads the reverted batches of payments. Core decides what they mean: `judgeUnsettledItems`, `mayQueueHeld`.
import type { RevertedBatches } from '@svc-pay/core';
import type pg from 'pg';
import { type SettlementKey, settlementKeys } from './move-settlements.ts';

type BatchStatus = RevertedBatches extends ReadonlyMap<string, readonly (infer Status)[]> ? Status : never;

const LOAD = {
  name: 'load-reverted-batches',
  text: `
    select distinct f.payment_id, b.status
    from unnest($1::text[], $2::text[], $3::text[]) as item (account_id, mode, payment_id)
    join svc.reverted_batches f
      on f.account_id = item.account_id and f.mode = item.mode and f.payment_id = item.payment_id
    join svc.batches b on b.id = f.batch_id`,
};

export async function loadRevertedBatches(
  client: pg.ClientBase | pg.Pool,
  items: readonly SettlementKey[],
): Promise<RevertedBatches> {
  if (items.length === 0) return new Map();
  const { rows } = await client.query<{ payment_id: string; status: BatchStatus }>({
    ...LOAD,
    values: settlementKeys(items),
  });
  return new Map(
    [...Map.groupBy(rows, (row) => row.payment_id)].map(([id, of]) => [id, of.map(({ status }) => status)]),
  );
}
