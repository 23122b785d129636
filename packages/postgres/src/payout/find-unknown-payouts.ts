import type { NamedPayout } from '@svc-pay/core';
import type pg from 'pg';

/** The given payouts that the database does not have. */
export async function findUnknownPayouts(
  pool: pg.Pool,
  network: string,
  payouts: readonly NamedPayout[],
): Promise<readonly NamedPayout[]> {
  const { rows } = await pool.query<{ processor: string; payout_id: string }>(
    `select distinct named.processor, named.payout_id from unnest($2::text[], $3::bigint[]) as named (processor, payout_id)
     where not exists (
       select from svc.payouts p
       where p.network = $1 and p.processor = named.processor and p.payout_id = named.payout_id
     )
     order by 1, 2`,
    [network, payouts.map(({ processor }) => processor), payouts.map(({ payoutId }) => payoutId.toString())],
  );
  return rows.map((row) => ({ processor: row.processor, payoutId: BigInt(row.payout_id) }));
}
