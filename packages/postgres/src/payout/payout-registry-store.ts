// PayoutRegistryStore over Postgres.
import type { PayoutRegistryStore } from '@svc-pay/core';
import type pg from 'pg';
import { mirrorPayout } from './mirror-payout.ts';

/** `actor` is the actor of the audit records. */
export function createPayoutRegistryStore(pool: pg.Pool, actor: string): PayoutRegistryStore {
  return {
    loadPayoutsToMirror: (...given) => loadPayoutsToMirror(pool, ...given),
    mirrorPayout: (registered, nowMs) => mirrorPayout({ pool, nowMs, actor }, registered),
  };
}

/** Ids of payouts that are not disabled and may still change, in pages by id. */
async function loadPayoutsToMirror(
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
      where network = $1 and processor = $2 and payout_id > $3 and status <> 'disabled' and kind = 'processor'
      order by payout_id limit $4`,
    values: [network, processor.toLowerCase(), after.toString(), limit],
  });
  return rows.map(({ payout_id }) => BigInt(payout_id));
}
