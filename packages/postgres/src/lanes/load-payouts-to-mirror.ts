import type pg from 'pg';

/** Ids that may still change: all but those switched off, in pages by id. */
export async function loadPayoutsToMirror(
  pool: pg.Pool,
  network: string,
  processor: string,
  after: bigint,
  limit: number,
): Promise<readonly bigint[]> {
  const { rows } = await pool.query<{ payout_id: string }>({
    name: 'load-payouts-to-mirror',
    text: `
      select payout_id from svc.payouts
      where network = $1 and processor = $2 and payout_id > $3 and status <> 'disabled' order by payout_id limit $4`,
    values: [network, processor.toLowerCase(), after.toString(), limit],
  });
  return rows.map(({ payout_id }) => BigInt(payout_id));
}
