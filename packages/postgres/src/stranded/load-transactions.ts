import { type ClaimedPayment, RECORDED_BATCH, SETTLEMENT_STATUS } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';
import { settlementKeys } from '../settlement/move-settlements.ts';

const LOAD_SIGNED = {
  name: 'load-signed-transactions',
  text: `
    with asked as materialized (
      select * from unnest($1::text[], $2::text[], $3::text[]) as asked (account_id, mode, payment_id)
    ),
    carried as (
      select payment_id, batch_id from asked
      cross join lateral (
        select f.batch_id from svc.reverted_batches f
        where f.account_id = asked.account_id and f.mode = asked.mode and f.payment_id = asked.payment_id
        union
        select s.batch_id from svc.settlements s
        where s.account_id = asked.account_id and s.mode = asked.mode and s.payment_id = asked.payment_id
          and s.batch_id is not null
      ) batch
    )
    select c.payment_id, t.transaction_id from carried c join svc.batch_transactions t on t.batch_id = c.batch_id`,
};

/** Every transaction signed for each payment, by payment id: those of its batch and of its reverted batches. */
export async function loadSignedTransactions(
  pool: pg.Pool,
  payments: readonly ClaimedPayment[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (payments.length === 0) return new Map();
  const { rows } = await pool.query<{ payment_id: string; transaction_id: string }>({
    ...LOAD_SIGNED,
    values: settlementKeys(payments.map(({ item }) => item)),
  });
  return new Map(
    [...Map.groupBy(rows, (row) => row.payment_id)].map(([id, of]) => [id, of.map((row) => row.transaction_id)]),
  );
}

const LOAD_HELD = {
  name: 'load-held-transactions',
  text: `
    select s.payment_id, b.transaction_id from svc.settlements s
    join svc.batches b on b.id = s.batch_id and b.status ${sqlIs(...RECORDED_BATCH)}
    where s.network = $1 and s.status ${sqlIs(SETTLEMENT_STATUS.held)} and s.payment_id = any ($2)`,
};

/** Transaction id of each held payment's mined or final batch, by payment id. Payments without one are left out. */
export async function loadHeldTransactions(
  pool: pg.Pool,
  network: string,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ payment_id: string; transaction_id: string }>({
    ...LOAD_HELD,
    values: [network, paymentIds],
  });
  return new Map(rows.map((row) => [row.payment_id, row.transaction_id]));
}
