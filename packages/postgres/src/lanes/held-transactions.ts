import type pg from 'pg';

const LOAD = {
  name: 'load-held-transactions',
  text: `
    select s.payment_id, b.transaction_id from svc.settlements s
    join svc.batches b on b.id = s.batch_id and b.status in ('mined', 'finalized')
    where s.network = $1 and s.status = 'held' and s.payment_id = any ($2)`,
};

/** By payment id, of held payments: the transaction that carried them, where one was recorded. */
export async function loadHeldTransactions(
  pool: pg.Pool,
  network: string,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ payment_id: string; transaction_id: string }>({
    ...LOAD,
    values: [network, paymentIds],
  });
  return new Map(rows.map((row) => [row.payment_id, row.transaction_id]));
}
