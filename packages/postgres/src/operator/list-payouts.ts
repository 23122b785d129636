import type { Mode } from '@svc-pay/core';
import type pg from 'pg';
import { PAYOUT_COLUMNS, type Payout, type PayoutDbRow, payoutOf } from './payout-row.ts';

export type PayoutFilter = { readonly accountId?: string | undefined; readonly mode?: Mode | undefined };

/** In the order of their making: the last active one of a network and processor is what new intents use. */
export async function listPayouts(pool: pg.Pool, { accountId, mode }: PayoutFilter): Promise<readonly Payout[]> {
  const { rows } = await pool.query<PayoutDbRow>(
    `select ${PAYOUT_COLUMNS} from svc.payouts payout
     where ($1::text is null or account_id = $1) and ($2::text is null or mode = $2)
     order by account_id, mode desc, network, processor, created_at, payout.payout_id`,
    [accountId ?? null, mode ?? null],
  );
  return rows.map(payoutOf);
}
