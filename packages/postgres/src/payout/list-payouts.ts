import type { Mode, Payout } from '@svc-pay/core';
import type pg from 'pg';
import { PAYOUT_COLUMNS, type PayoutDbRow, payoutOf } from './payout-row.ts';

export type PayoutFilter = { readonly accountId?: string | undefined; readonly mode?: Mode | undefined };

/** Oldest first for each network and processor: new intents use the last active one. */
export async function listPayouts(pool: pg.Pool, { accountId, mode }: PayoutFilter): Promise<readonly Payout[]> {
  const { rows } = await pool.query<PayoutDbRow>(
    `select ${PAYOUT_COLUMNS} from svc.payouts payout
     where ($1::text is null or account_id = $1) and ($2::text is null or mode = $2)
     order by account_id, mode desc, network, processor, created_at, payout.payout_id`,
    [accountId ?? null, mode ?? null],
  );
  return rows.map(payoutOf);
}
