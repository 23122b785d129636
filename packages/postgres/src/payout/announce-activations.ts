import { type ActivationNotice, isoTime, PAYOUT_STATUS } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlNotMoved } from '../database/not-moved.ts';
import { sqlIs } from '../database/status-sql.ts';

/**
 * Tells of every direct payout that was not told of, and remembers it. A process that ends in between tells again: a notice
 * may come twice, and is never lost. Processes that do this at the same moment tell of different payouts.
 */
export async function announceActivations(
  pool: pg.Pool,
  tell: (notice: ActivationNotice) => void,
  nowMs: number,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<ActivationNotice>({
      name: 'find-unannounced-payouts',
      text: `
        select account_id as "accountId", network, payout_id::text as "payoutId", processor as wallet,
          to_char(active_from at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "activeFrom"
        from svc.payouts payout
        where kind = 'direct' and announced_at is null and status ${sqlIs(PAYOUT_STATUS.active)}
          and ${sqlNotMoved('payout.account_id')}
        order by payout.payout_id limit 1000 for update skip locked`,
    });
    if (rows.length === 0) return;
    for (const notice of rows) tell(notice);
    await client.query({
      name: 'mark-payouts-announced',
      text: `
        update svc.payouts payout set announced_at = $1
        from unnest($2::text[], $3::text[], $4::bigint[]) as told (network, wallet, payout_id)
        where payout.network = told.network and payout.processor = told.wallet and payout.payout_id = told.payout_id`,
      values: [
        isoTime(nowMs),
        rows.map(({ network }) => network),
        rows.map(({ wallet }) => wallet),
        rows.map(({ payoutId }) => payoutId),
      ],
    });
  });
}
